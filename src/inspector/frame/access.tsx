import { giveToken, standing } from '../data/api.ts'
import { Refused } from '../parts/buttons.tsx'

/** Shown if the sandbox refuses the page: explains what is missing. */
export function Access() {
  const now = standing.value
  if (now.state === 'refused') {
    return (
      <main class="access">
        <h1>The sandbox does not show its data here</h1>
        <p>{now.message}</p>
        <pre>petstore-sandbox start --host 0.0.0.0 --control-token {'<token>'}</pre>
        <p>Then open this page again: it asks for that token once.</p>
      </main>
    )
  }
  return (
    <main class="access">
      <h1>This sandbox was started with a control token</h1>
      <form
        class="form"
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
        <button type="submit" class="b primary">
          Open
        </button>
      </form>
      {now.state === 'token' && <Refused message={now.message} />}
      <p class="quiet small">
        It is the value of --control-token. It stays in this tab and is in no address.
      </p>
    </main>
  )
}
