import { useEffect } from 'preact/hooks'
import { type Connection, connection, giveToken, ownWorld, ROOT } from '../data/api.ts'
import { selected } from '../data/listed.ts'
import { go, isAll, namespace, point } from '../data/location.ts'
import { isMissing, pointError } from '../data/state.ts'
import { Refused, Unbroken } from '../parts/buttons.tsx'
import { brief } from '../text/text.ts'
import { Instruments } from '../views/instruments/instruments.tsx'
import { shownView } from '../views/views.ts'
import { Footer } from './footer.tsx'
import { Head } from './head.tsx'
import { Help } from './keyboard.tsx'
import { MissingNamespace, Notice } from './notice.tsx'
import './frame.css'

/** The layout of the page: instruments on the left, the view beside them, the command line at the bottom. */
export function Shell() {
  const now = connection.value
  const name = titleOf()
  useEffect(() => {
    document.title = name
  }, [name])
  if (now.state === 'token' || now.state === 'refused') return <Access {...now} />
  const { title, at, Body } = shownView.value
  return (
    <div class={`shell${point.value === undefined ? '' : ' past'}${isAll.value ? ' all' : ''}`}>
      <Head />
      {!isAll.value && <Instruments />}
      <main class="main column" id="main" tabIndex={-1} aria-label={title}>
        {now.message && (
          <p class={`notice${now.since ? ' bad' : ''}`} role="status">
            {now.message}
          </p>
        )}
        {isMissing.value ? (
          <MissingNamespace />
        ) : (
          <>
            <Notice />
            {!(at && pointError.value) && <Body />}
          </>
        )}
      </main>
      <Footer />
      <Help />
    </div>
  )
}

/** Shown if the sandbox refuses the page: explains what is missing. */
function Access({ state, message }: Connection) {
  if (state === 'refused')
    return (
      <main class="access">
        <h1>The sandbox does not show its data here</h1>
        <p>
          <Unbroken text={message ?? ''} />
        </p>
        <p>Then open this page again: it asks for that token once.</p>
      </main>
    )
  return (
    <main class="access">
      <h1>This sandbox has a control token</h1>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          const text = new FormData(event.currentTarget).get('token')
          if (typeof text !== 'string' || text.trim() === '') return
          giveToken(text.trim())
          if (ownWorld.value) go({ namespace: ownWorld.value })
        }}
      >
        <label class="quiet small">
          Control token
          <input name="token" type="password" autocomplete="off" required ref={(field) => field?.focus()} />
        </label>
        <button type="submit" class="b primary">
          Open
        </button>
      </form>
      <Refused message={message} />
      <p class="quiet small">
        <Unbroken text="It is the value of PETSTORE_SANDBOX_CONTROL_TOKEN or --control-token, or the key of your world in a public sandbox." />{' '}
        It stays in this tab and is in no address.
      </p>
    </main>
  )
}

/** `429 GET /v1/pets · worker-1 · :4010` */
function titleOf(): string {
  const { host, port } = new URL(ROOT)
  const event = selected.value
  const what =
    event?.kind === 'request'
      ? `${event.entry.status || 'none'} ${event.entry.method} ${brief(event.entry.path, 60)}`
      : shownView.value.title
  return `${what} · ${isAll.value ? 'all' : namespace.value} · ${port ? `:${port}` : host}`
}
