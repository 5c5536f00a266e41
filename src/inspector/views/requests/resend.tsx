import { type Deed, fork } from '../../data/acts.ts'
import { answerOf, api } from '../../data/api.ts'
import { commandIn, go } from '../../data/location.ts'
import { freeName } from '../../data/state.ts'
import type { Typed } from '../../data/typed.ts'
import type { Entry } from '../../data/types.ts'
import { Act, Press } from '../../parts/act.tsx'
import { Form } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'

/** What of a request can be edited. */
const draftOf = ({ method, path, query, request: { body } }: Entry): Typed => ({ method, path, query, body })

/** Sends it again, as it was or as it is in the draft; in its own namespace, or in a copy of the state before it. */
function resend(entry: Entry, draft?: Typed, into?: string): Deed {
  const { id, namespace } = entry
  const was = draftOf(entry)
  const edits =
    draft && Object.fromEntries(Object.entries(draft).filter(([name, text]) => text !== was[name]))
  const copy = into === undefined ? undefined : fork(namespace, into, id)
  const flags = [...(into ? ['--into', into] : []), ...(edits ? ['--edits', JSON.stringify(edits)] : [])]
  const line = commandIn(namespace, 'requests', '--resend', id, ...flags)
  return {
    command: copy ? `${copy.command} && ${line}` : line,
    async run() {
      await copy?.run()
      const params = { path: { id }, query: { namespace } }
      const body = { ...(into && { into }), ...(edits && { edits }) }
      const made = await answerOf(api.POST('/requests/{id}/resend', { params, body: body as never }))
      const place = into
        ? { namespace: into, of: undefined, key: undefined, at: undefined }
        : { of: made.namespace }
      go({ id: made.id, branch: undefined, ...place })
    },
  }
}

/** Why it cannot be sent again; empty where it can. */
function obstacle({ request, branch }: Entry): string {
  if (request.truncated) return 'Its body was cut or is not text: what is sent would not be the same.'
  return branch ? 'It was undone: undo the rewind first.' : ''
}

/** Sends a request once more: now, edited, or in a copy of the state before it. */
export function SendAgain({ entry, edit }: { entry: Entry; edit: () => void }) {
  const why = obstacle(entry)
  const shared = { class: 'text', disabled: why !== '' }
  return (
    <Menu label="Send again">
      <div class="choices" data-done={why === '' ? true : undefined}>
        <Act {...shared} {...resend(entry)}>
          Now
        </Act>
        <Press {...shared} command={resend(entry, draftOf(entry)).command} run={edit}>
          Edited…
        </Press>
        {entry.key !== null && (
          <Act {...shared} always {...resend(entry, undefined, freeName.value)}>
            In a copy of the state before, {freeName.value}
          </Act>
        )}
        {why && <p class="hint">{why}</p>}
      </div>
    </Menu>
  )
}

const FIELDS = ['method', 'path', 'query', 'body'].map((name) => ({
  name,
  description: '',
  isRequired: true,
}))

/** The form for what is sent edited. */
export const Edit = ({ entry, close }: { entry: Entry; close: () => void }) => (
  <Form
    fields={FIELDS}
    first={draftOf(entry)}
    long="body"
    submit="Send edited"
    act={(draft) => resend(entry, draft)}
    beside={(draft) => (
      <>
        {entry.key !== null && (
          <Act always {...resend(entry, draft, freeName.value)}>
            In a copy, {freeName.value}
          </Act>
        )}
        <Press class="text" run={close}>
          Cancel
        </Press>
      </>
    )}
  />
)
