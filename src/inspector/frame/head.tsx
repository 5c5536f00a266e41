import { useSignal } from '@preact/signals'
import { lineAbout } from '../../control/call-words.ts'
import { plural } from '../../text/plural.ts'
import { type Action, saveRecording } from '../data/actions.ts'
import { ALL, NAME } from '../data/address.ts'
import { answerOf, api, connection, hasNamespaces, realNow, service, trueTime } from '../data/api.ts'
import { allRequests, loaded, paused } from '../data/events.ts'
import { missedCount } from '../data/listed.ts'
import { command, commandIn, EVERYTHING, go, hrefOf, isAll, namespace, shownFlags } from '../data/location.ts'
import { freeName, namespaces, ownNamespace } from '../data/state.ts'
import type { Namespace } from '../data/types.ts'
import { ActionButton, Button, ConfirmButton, Menu, Place } from '../parts/buttons.tsx'
import { styled, Table } from '../parts/table.tsx'
import { amount, brief, duration, timeOfDay, visible } from '../text/text.ts'
import { shownView, views } from '../views/views.ts'
import { toggleHelp } from './keyboard.tsx'

const isPaused = (): boolean => connection.value.state === 'live' && paused.value

function stateText(): string {
  const { state, since } = connection.value
  if (since) return `away since ${timeOfDay(since, 0).slice(0, -3)}, trying again`
  return isPaused() ? 'paused' : state
}

/** The views, the namespace, and the state of the connection. */
export const Head = () => (
  <header class="head line">
    <h1>
      <a href={hrefOf({ view: 'requests', id: undefined, ...EVERYTHING })}>petstore-sandbox</a>
    </h1>
    <nav aria-label="Views">
      {views.value.map(({ name, title, line, at }) => (
        <a
          key={name}
          href={hrefOf({ view: name })}
          data-command={command(line, ...(at ? shownFlags() : []))}
          aria-current={name === shownView.value.name ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
    <span class="push" />
    {service.value && <span class="quiet small cut">proxy of {visible(service.value)}</span>}
    {hasNamespaces.value && <Chooser />}
    <Record />
    <Place name="page" />
    <span class={`connection quiet ${connection.value.state}`}>
      {/* A screen reader reads each change of a status aloud: with the count, it would not stop. */}
      <span role="status">{stateText()}</span>
      {isPaused() && `, ${missedCount.value} since`}
    </span>
    <Button class="text help" text="?" aria-label="Keys of this page" run={toggleHelp} />
  </header>
)

/** On phones, it is in the menu of the namespace. */
const Record = () =>
  !isAll.value &&
  !service.value && (
    <ActionButton class="text record" text="Save recording" always data-done {...saveRecording()} />
  )

/** The selected namespace and all its requests. What is read now and then may lack the last ones. */
const Chosen = () => (
  <>
    <span class="cut">{isAll.value ? 'all' : namespace.value}</span>{' '}
    <span class="quiet small">
      {loaded.value &&
        plural(Math.max(ownNamespace.value?.requests ?? 0, allRequests.value.length), 'request')}
    </span>
  </>
)

/** The selected namespace. Opened, it searches all namespaces by name and test. */
function Chooser() {
  const wanted = useSignal('')
  const name = wanted.value.trim()
  const found = namespaces.value.filter((each) =>
    `${each.name}\n${each.test ?? ''}`.toLowerCase().includes(name.toLowerCase()),
  )
  const fresh = name || freeName.value
  const isNew = !namespaces.value.some((each) => each.name === fresh)
  const choose = (name: string) => {
    wanted.value = ''
    document.querySelector<HTMLElement>('.chooser')?.closest<HTMLElement>('[popover]')?.hidePopover()
    go({ namespace: name })
  }
  return (
    <Menu class="namespace cut" text={<Chosen />} onOpen={() => namespaces.refresh()}>
      <form
        class="chooser"
        onSubmit={(event) => {
          event.preventDefault()
          const chosen = isNew ? (found[0]?.name ?? name) : name
          if (name !== '' && NAME.test(chosen)) choose(chosen)
        }}
      >
        <input
          aria-label="Name or test"
          placeholder="name or test"
          spellcheck={false}
          value={wanted.value}
          onInput={({ currentTarget }) => (wanted.value = currentTarget.value)}
        />
        <Place name="drop">
          <Namespaces rows={found.slice(0, 100)} choose={choose} />
          <div class="actions">
            <Button class="text" text="All, in one list" run={() => choose(ALL)} />
            <Record />
            {isNew && NAME.test(fresh) && (
              <Button text={`New namespace ${brief(fresh, 40)}…`} run={() => choose(fresh)} />
            )}
            {found.length === 0 && !NAME.test(fresh) && (
              <span class="warn small" role="status">
                A name has 1 to 64 of A-Z a-z 0-9 _ -
              </span>
            )}
            {found.length > 100 && <span class="quiet small">and {found.length - 100} more</span>}
          </div>
        </Place>
      </form>
    </Menu>
  )
}

const Namespaces = ({ rows, choose }: { rows: readonly Namespace[]; choose: (name: string) => void }) => (
  <Table
    columns={[
      'namespace',
      styled('test cut quiet', 'last test'),
      ...['requests', 'findings', 'pets', 'clock'].map((name) => styled('number', name)),
      'drop',
    ]}
    rows={rows}
    keyOf={({ name }) => name}
    cells={({ name, test = '', requests, findings, pets, clock, origin }) => [
      <Button
        class="text data"
        aria-current={name === namespace.value || undefined}
        command={commandIn(name, 'requests')}
        run={() => choose(name)}
        text={name}
      />,
      origin ? <span>copy of {pointText(origin)}</span> : brief(test, 60),
      amount(requests),
      <span class={findings > 0 ? 'warn' : 'quiet'}>{amount(findings)}</span>,
      pets?.toLocaleString('en'),
      <span class="quiet">{clockText(clock)}</span>,
      name !== 'default' && (
        <ConfirmButton
          text="Drop"
          subject={name}
          question={`Drop ${name} with ${plural(requests, 'request')}?`}
          change={drop(name)}
        />
      ),
    ]}
  />
)

const pointText = ({ namespace, side, at }: NonNullable<Namespace['origin']>): string =>
  at ? `${namespace} ${side} ${at}` : namespace

/** The difference of the clock from real time, in short. */
function clockText({ now, frozen }: Namespace['clock']): string {
  const ahead = Date.parse(now) - trueTime(realNow())
  if (frozen) return 'frozen'
  if (Math.abs(ahead) < 2000) return 'real'
  return `${ahead > 0 ? '+' : '−'}${duration(ahead).replace(/(\d \S+) .*/, '$1')}`
}

const drop = (name: string): Action => ({
  command: commandIn('default', ...lineAbout('namespaces drop', name)),
  run: async () => {
    await answerOf(api.DELETE('/namespaces/{name}', { params: { path: { name } } }))
    namespaces.refresh()
    if (name === namespace.value) go({ namespace: 'default' })
  },
})
