import { signal } from '@preact/signals'
import { Act, copied, copy, Refused, refusal, shownCommand } from './act.tsx'
import { answerOf, api, giveToken, ORIGIN, standing } from './api.ts'
import { commandLine } from './commands.ts'
import { Connect } from './connect.tsx'
import { Instruments } from './instruments.tsx'
import { KEYS } from './keyboard.ts'
import { Limits } from './limits.tsx'
import { Pets } from './pets.tsx'
import { point } from './point.ts'
import { ReportView } from './report.tsx'
import { Requests } from './requests.tsx'
import { ALL, VIEWS, type View } from './route.ts'
import { go, hrefOf, namespace, namespaces, route } from './state.ts'
import { count } from './text.ts'
import { Then } from './then.tsx'
import { timeOfDay } from './time.ts'
import { helpOpen, instrumentsOpen } from './ui.ts'

const TITLES: Readonly<Record<View, string>> = {
  requests: 'Requests',
  pets: 'Pets',
  limits: 'Limits',
  report: 'Report',
  connect: 'Connect',
}

const BODIES = { requests: Requests, pets: Pets, limits: Limits, report: ReportView, connect: Connect }

/** The frame of the page: what can be turned on the left, what is looked at beside it, the command at the foot. */
export function Shell() {
  const { state } = standing.value
  if (state === 'token' || state === 'refused') return <Door />
  const Body = BODIES[route.value.view]
  return (
    <div class={`shell${point.value ? ' past' : ''}`}>
      <Head />
      <Instruments />
      <main class="main" id="main" tabIndex={-1} aria-label={TITLES[route.value.view]}>
        {state === 'away' && (
          <p class="away" role="status">
            The sandbox is away. This page comes back by itself as soon as it answers again.
          </p>
        )}
        <Then />
        <Body />
      </main>
      <Foot />
      {helpOpen.value && <Help />}
    </div>
  )
}

const Head = () => (
  <header class="head">
    <h1>
      <a href={hrefOf({ view: 'requests', filter: '' })}>petstore-sandbox</a>
    </h1>
    <nav aria-label="Views">
      {VIEWS.map((view) => (
        <a key={view} href={hrefOf({ view })} aria-current={view === route.value.view ? 'page' : undefined}>
          {TITLES[view]}
        </a>
      ))}
    </nav>
    <span class="push" />
    <button
      type="button"
      class="act only-narrow"
      aria-expanded={instrumentsOpen.value}
      onClick={() => {
        instrumentsOpen.value = !instrumentsOpen.value
      }}
    >
      Instruments
    </button>
    <label class="world">
      <span aria-hidden="true">namespace</span>
      <select
        aria-label="namespace"
        value={namespace.value}
        onChange={({ currentTarget }) => go({ namespace: currentTarget.value, id: undefined })}
      >
        {names().map(({ name, text }) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
    <Drop />
    <span class={`live ${standing.value.state}`} role="status">
      {standing.value.state === 'live' ? 'live' : standing.value.state}
    </span>
    <button
      type="button"
      class="key"
      aria-label="Keyboard shortcuts"
      onClick={() => {
        helpOpen.value = true
      }}
    >
      ?
    </button>
  </header>
)

const dropping = signal(false)

/** A world that is dropped cannot be brought back: it is asked once. */
function Drop() {
  const name = namespace.value
  if (name === 'default' || name === ALL) return null
  return (
    <>
      <button
        type="button"
        class="act"
        onClick={() => {
          dropping.value = true
        }}
      >
        Drop…
      </button>
      {dropping.value && <DropDialog name={name} />}
    </>
  )
}

function DropDialog({ name }: { name: string }) {
  const close = () => {
    dropping.value = false
  }
  const line = commandLine({ origin: ORIGIN, namespace: 'default' }, 'namespaces', 'drop', name)
  return (
    <dialog ref={open} onClose={close} aria-label={`Drop ${name}`}>
      <h2>Drop {name}?</h2>
      <p class="hint">Its pets, keys, limits, faults and requests are gone then. It cannot be undone.</p>
      <div class="acts">
        <Act
          place="drop"
          command={line}
          run={async () => {
            await answerOf(api.DELETE('/namespaces/{name}', { params: { path: { name } } }))
            close()
            go({ namespace: 'default', id: undefined })
          }}
        >
          Drop {name}
        </Act>
        <button type="button" class="act" onClick={close}>
          Keep it
        </button>
      </div>
      <Refused place="drop" />
    </dialog>
  )
}

function names(): { name: string; text: string }[] {
  const known = namespaces.value.map(({ name, pets, requests, clock }) => ({
    name,
    text: `${name}: ${count(requests, 'request')}, ${count(pets, 'pet')}, ${timeOfDay(clock.now, 0)}`,
  }))
  const current = namespace.value
  if (known.length > 1 || current === ALL) known.push({ name: ALL, text: 'all, in one list' })
  if (!known.some(({ name }) => name === current)) known.push({ name: current, text: current })
  return known
}

function Foot() {
  const text = shownCommand.value
  return (
    <footer class="foot">
      <span aria-hidden="true">$</span>
      <output class="command" aria-label="The command that equals what has the focus">
        {text === '' ? <span class="quiet">the command of what is under the pointer stands here</span> : text}
      </output>
      {refusal.value?.place === 'page' && <Refused place="page" />}
      <span class="push" />
      <button type="button" class="link" disabled={text === ''} onClick={() => void copy(text)}>
        {copied.value === text && text !== '' ? 'copied' : 'copies with'} <kbd>y</kbd>
      </button>
    </footer>
  )
}

const open = (dialog: HTMLDialogElement | null): void => {
  if (dialog && !dialog.open) dialog.showModal()
}

function Help() {
  const close = () => {
    helpOpen.value = false
  }
  return (
    <dialog class="help" ref={open} onClose={close} aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(/ +/).map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <h2>Filter</h2>
      <p class="hint">
        Words are looked for in paths, headers and bodies. <code>status:4xx</code> <code>key:psk_free</code>{' '}
        <code>operation:createPet</code> <code>decision:refused</code> <code>method:post</code>{' '}
        <code>is:warned</code> <code>finding:early-retry</code> <code>test:"adds a pet"</code>; a minus in
        front excludes.
      </p>
      <button type="button" class="act" onClick={close}>
        Close
      </button>
    </dialog>
  )
}

/** Where the sandbox lets nobody in without something: what it is, and how to get it. */
function Door() {
  const now = standing.value
  if (now.state === 'refused') {
    return (
      <main class="door">
        <h1>The sandbox does not show its data here</h1>
        <p>{now.message}</p>
        <pre>petstore-sandbox start --host 0.0.0.0 --control-token {'<token>'}</pre>
        <p>Then open this page again: it asks for that token once.</p>
      </main>
    )
  }
  return (
    <main class="door">
      <h1>This sandbox was started with a control token</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const text = new FormData(event.currentTarget).get('token')
          if (typeof text === 'string' && text.trim() !== '') giveToken(text.trim())
        }}
      >
        <label>
          Control token
          <input name="token" type="password" autocomplete="off" required />
        </label>
        <button type="submit" class="act">
          Open
        </button>
      </form>
      {now.state === 'token' && now.message !== '' && (
        <p class="refused" role="alert">
          {now.message}
        </p>
      )}
      <p class="hint">It is the value of --control-token. It stays in this tab and is in no address.</p>
    </main>
  )
}
