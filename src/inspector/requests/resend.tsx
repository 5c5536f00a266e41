import { signal } from '@preact/signals'
import { Act } from '../frame/act.tsx'
import { answerOf, api } from '../sandbox/api.ts'
import { command, go } from '../sandbox/location.ts'
import type { Entry } from '../sandbox/types.ts'

interface Draft {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

const draft = signal<Draft | undefined>(undefined)

async function send({ id, namespace }: Entry, edits?: object): Promise<void> {
  const made = await answerOf(
    api.POST('/requests/{id}/resend', {
      params: { path: { id }, query: { namespace } },
      body: edits ? { edits } : {},
    }),
  )
  draft.value = undefined
  go({ id: made.id })
}

/** Sends a request once more, as it was or edited. */
export function Resend({ entry }: { entry: Entry }) {
  const { id, method, path, query, request } = entry
  const isEditing = draft.value?.id === id
  return (
    <>
      <div class="acts again">
        <Act place="detail" command={command('requests', '--resend', id)} run={() => send(entry)}>
          Send again
        </Act>
        <button
          type="button"
          class="act"
          aria-expanded={isEditing}
          onClick={() => {
            draft.value = isEditing ? undefined : { id, method, path, query, body: request.body }
          }}
        >
          Edit and send…
        </button>
      </div>
      {isEditing && <Edit entry={entry} />}
    </>
  )
}

function Edit({ entry }: { entry: Entry }) {
  const { method, path, query, body } = draft.value as Draft
  const change =
    (name: keyof Draft) => (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      draft.value = { ...(draft.value as Draft), [name]: event.currentTarget.value }
    }
  const edits = {
    ...(method !== entry.method && { method }),
    ...(path !== entry.path && { path }),
    ...(query !== entry.query && { query }),
    ...(body !== entry.request.body && { body }),
  }
  const words = command('requests', '--resend', entry.id, '--edits', JSON.stringify(edits))
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <label>
        Method
        <input value={method} onInput={change('method')} spellcheck={false} />
      </label>
      <label>
        Path
        <input value={path} onInput={change('path')} spellcheck={false} />
      </label>
      <label>
        Query
        <input value={query} onInput={change('query')} spellcheck={false} />
      </label>
      <label>
        Body
        <textarea rows={4} value={body} onInput={change('body')} spellcheck={false} />
      </label>
      <Act place="detail" command={words} run={() => send(entry, edits)}>
        Send
      </Act>
    </form>
  )
}
