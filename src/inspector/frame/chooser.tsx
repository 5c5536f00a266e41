import { useSignal } from '@preact/signals'
import { ALL } from '../data/address.ts'
import { answerOf, api } from '../data/api.ts'
import { requests } from '../data/events.ts'
import { commandIn, goTo, namespace } from '../data/location.ts'
import { namespaces, refreshNamespaces } from '../data/state.ts'
import type { Namespace } from '../data/types.ts'
import { Act, Keep, Press, Refused } from '../parts/act.tsx'
import { Menu } from '../parts/menu.tsx'
import { buttons, Head, looking, numbers } from '../parts/table.tsx'
import { brief, count } from '../text/text.ts'
import { duration } from '../text/time.ts'

/** The namespace that is looked at; opened, a search over all of them by name and test. */
export function Chooser() {
  const wanted = useSignal('')
  const current = namespace.value
  const own = namespaces.value.find(({ name }) => name === current)
  const amount = current === ALL ? requests.value.length : (own?.requests ?? requests.value.length)
  const search = wanted.value.toLowerCase()
  const found = namespaces.value.filter(({ name, test = '' }) =>
    `${name}\n${test}`.toLowerCase().includes(search),
  )
  const choose = (name: string) => {
    wanted.value = ''
    document.querySelector<HTMLElement>('.chooser')?.closest<HTMLElement>('[popover]')?.hidePopover()
    goTo(name)
  }
  return (
    <Menu
      class="namespace"
      label={
        <>
          {current === ALL ? 'all' : current} <span class="quiet small">{count(amount, 'request')}</span>
        </>
      }
      onOpen={refreshNamespaces}
    >
      <form
        class="chooser"
        onSubmit={(event) => {
          event.preventDefault()
          const name = found[0]?.name ?? wanted.value.trim()
          if (name) choose(name)
        }}
      >
        <input
          aria-label="Name or test"
          placeholder="name or test"
          spellcheck={false}
          value={wanted.value}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value
          }}
        />
        <table class="t">
          <Head
            columns={[
              'namespace',
              looking('test cut', 'last test'),
              ...['requests', 'findings', 'pets', 'clock'].map((name) => numbers(name)),
              buttons('Drop'),
            ]}
          />
          <tbody>
            {found.slice(0, 100).map((each) => (
              <Line key={each.name} view={each} isShown={each.name === current} choose={choose} />
            ))}
          </tbody>
        </table>
        <div class="acts">
          <Press class="text" run={() => choose(ALL)}>
            All, in one list
          </Press>
          {wanted.value !== '' && found.length === 0 && (
            <Press run={() => choose(wanted.value.trim())}>New namespace {brief(wanted.value, 40)}…</Press>
          )}
          {found.length > 100 && <span class="quiet small">and {found.length - 100} more</span>}
        </div>
        <Refused place="drop" />
      </form>
    </Menu>
  )
}

interface LineProps {
  readonly view: Namespace
  readonly isShown: boolean
  readonly choose: (name: string) => void
}

/** How far the clock is from real time, in short. */
function clockText({ now, frozen }: Namespace['clock']): string {
  const ahead = Date.parse(now) - Date.now()
  const text =
    Math.abs(ahead) < 2000 ? '' : `${ahead > 0 ? '+' : '−'}${duration(ahead).replace(/(\d \S+) .*/, '$1')}`
  return frozen ? 'frozen' : text || 'real'
}

/** A namespace that is dropped cannot be brought back: it is asked once, in place. */
function Line({ view, isShown, choose }: LineProps) {
  const { name, test, requests, findings, pets, clock, origin } = view
  const isAsked = useSignal(false)
  const line = commandIn('default', 'namespaces', 'drop', name)
  if (isAsked.value)
    return (
      <tr>
        <td colSpan={7}>
          <span class="acts">
            Drop {name} with {count(requests, 'request')}?
            <Act
              class="small primary"
              place="drop"
              command={line}
              run={async () => {
                await answerOf(api.DELETE('/namespaces/{name}', { params: { path: { name } } }))
                isAsked.value = false
                refreshNamespaces()
                if (isShown) goTo('default')
              }}
            >
              Drop
            </Act>
            <Keep asked={isAsked} />
          </span>
        </td>
      </tr>
    )
  return (
    <tr class={isShown ? 'on' : ''}>
      <td>
        <Press
          class="text data"
          aria-current={isShown ? 'true' : undefined}
          command={commandIn(name, 'requests')}
          run={() => choose(name)}
        >
          {name}
        </Press>
      </td>
      <td class="quiet test cut">
        {origin
          ? `copy of ${origin.namespace}${origin.at ? ` ${origin.side} ${origin.at}` : ''}`
          : brief(test ?? '', 60)}
      </td>
      <td class="number">{requests.toLocaleString('en')}</td>
      <td class={findings > 0 ? 'number warn' : 'number quiet'}>{findings.toLocaleString('en')}</td>
      <td class="number">{pets.toLocaleString('en')}</td>
      <td class="number quiet">{clockText(clock)}</td>
      <td>
        {name !== 'default' && (
          <Press class="text small" label={`Drop ${name}`} command={line} run={() => (isAsked.value = true)}>
            Drop…
          </Press>
        )}
      </td>
    </tr>
  )
}
