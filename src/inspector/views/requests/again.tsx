import { useLayoutEffect } from 'preact/hooks'
import { type Action, arrived, fork, thenGo } from '../../data/actions.ts'
import { answerOf, api, hasNamespaces } from '../../data/api.ts'
import type { RequestEvent } from '../../data/event.ts'
import { allRequests } from '../../data/events.ts'
import { commandIn } from '../../data/location.ts'
import { freeName } from '../../data/state.ts'
import type { Typed } from '../../data/typed.ts'
import type { Entry } from '../../data/types.ts'
import { ActionButton, Button, Menu } from '../../parts/buttons.tsx'
import { Form } from '../../parts/form.tsx'

/** The editable parts of a request. */
const draftOf = ({ method, path, query, request: { body } }: Entry): Typed => ({ method, path, query, body })

/** Sends a request again, unchanged or edited (`draft`): in its own namespace, or in a copy of the state before it. */
export function resend(entry: Entry, draft?: Typed, into?: string): Action {
  const { id, namespace, branch } = entry
  const was = draftOf(entry)
  const edits =
    draft && Object.fromEntries(Object.entries(draft).filter(([name, text]) => text !== was[name]))
  const copy = into === undefined ? undefined : fork(namespace, into, id)
  const flags = Object.entries({ branch, into, edits: edits && JSON.stringify(edits) }).flatMap(
    ([name, value]) => (value ? [`--${name}`, value] : []),
  )
  const line = commandIn(namespace, 'requests', '--resend', id, ...flags)
  const action = {
    command: copy ? `${copy.command} && ${line}` : line,
    async run() {
      await copy?.run()
      const params = { path: { id }, query: { namespace } }
      const body = { ...(branch && { branch }), ...(into && { into }), ...(edits && { edits }) }
      const made = await answerOf(api.POST('/requests/{id}/resend', { params, body: body as never }))
      const isMade = (event: RequestEvent) => event.id === made.id && event.namespace === made.namespace
      // The detail shows it once its event has come.
      if (!into) await arrived(() => allRequests.value.some(isMade))
      return made
    },
  }
  return thenGo(action, (made) => ({
    view: 'requests',
    id: made.id,
    ...(into ? { namespace: into } : { of: made.namespace }),
  }))
}

/** Sends it in a copy, if the state before it can be copied, and its key can address the copy. */
function inCopy(text: string, entry: Entry, draft?: Typed) {
  const into = freeName.value
  if (!hasNamespaces.value || entry.key === null || entry.branch) return null
  return <ActionButton class="text" text={`${text}, ${into}`} always {...resend(entry, draft, into)} />
}

/** Sends a request again: now, edited, or in a copy of the state before it. */
export function SendAgain({ entry, edit }: { entry: Entry; edit: () => void }) {
  return (
    <Menu text="Send again">
      {entry.request.truncated ? (
        <p class="quiet small">Its body was cut or is not text: the sent request would differ.</p>
      ) : (
        <div class="choices" data-done>
          <ActionButton class="text" text="Now" {...resend(entry)} />
          <Button class="text" text="Edited…" command={resend(entry, draftOf(entry)).command} run={edit} />
          {inCopy('In a copy of the state before', entry)}
        </div>
      )}
    </Menu>
  )
}

const FIELDS = ['method', 'path', 'query', 'body'].map((name) => ({
  name,
  isRequired: true,
  isLong: name === 'body',
}))

/** The form that edits a request before it is sent again. */
export function Edit({ entry, close }: { entry: Entry; close: () => void }) {
  useLayoutEffect(() => document.querySelector<HTMLElement>('.detail > .form input')?.focus(), [])
  return (
    <Form
      fields={FIELDS}
      first={draftOf(entry)}
      submit="Send edited"
      act={(draft) => resend(entry, draft)}
      beside={(draft) => [
        inCopy('In a copy', entry, draft),
        <Button key="cancel" class="text" text="Cancel" run={close} />,
      ]}
    />
  )
}

const INTO = 'into the namespace'

/** Copies the world to a new namespace: as it is, or as it was before a point. */
export const ForkMenu = ({ from, at }: { from: string; at?: string }) =>
  hasNamespaces.value && (
    <Menu text="Fork">
      <Form
        fields={[{ name: INTO, type: 'string', isRequired: true }]}
        first={{ [INTO]: freeName.value }}
        submit="Fork"
        always
        act={({ [INTO]: into = '' }) => thenGo(fork(from, into, at), () => ({ namespace: into }))}
      />
    </Menu>
  )
