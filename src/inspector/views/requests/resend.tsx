import { signal } from '@preact/signals'
import { answerOf, api } from '../../data/api.ts'
import { fork, freeName } from '../../data/history.ts'
import { nameOf } from '../../data/journal.ts'
import { commandIn, go, hrefOf } from '../../data/location.ts'
import type { Entry, ResendRequest } from '../../data/types.ts'
import { Act } from '../../parts/act.tsx'

interface Draft {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** The open form of one request, and its result. */
interface Sending {
  readonly of: string
  readonly draft?: Draft | undefined
  /** The namespace for a copy of the world; undefined = none is to be made. */
  readonly into?: string | undefined
  readonly made?: Entry
}

const sending = signal<Sending>({ of: '' })

const sendingOf = (entry: Entry): Sending =>
  sending.value.of === nameOf(entry) ? sending.value : { of: nameOf(entry) }

const draftOf = ({ method, path, query, request }: Entry): Draft => ({
  method,
  path,
  query,
  body: request.body,
})

/** As it was, or as it is in the draft; in its own namespace or another one. */
interface Wanted {
  readonly draft?: Draft | undefined
  readonly into?: string
}

/** The edits of the draft. */
function editsOf(entry: Entry, draft: Draft): ResendRequest['edits'] {
  const was = draftOf(entry)
  const names = Object.keys(draft) as (keyof Draft)[]
  const changed = names.filter((name) => draft[name] !== was[name])
  return Object.fromEntries(changed.map((name) => [name, draft[name]]))
}

const bodyOf = (entry: Entry, { draft, into }: Wanted): ResendRequest => ({
  ...(into !== undefined && { into }),
  ...(draft && { edits: editsOf(entry, draft) }),
})

function lineOf(entry: Entry, wanted: Wanted): string {
  const { into, edits } = bodyOf(entry, wanted)
  const flags = [
    ...(into === undefined ? [] : ['--into', into]),
    ...(edits ? ['--edits', JSON.stringify(edits)] : []),
  ]
  return commandIn(entry.namespace, 'requests', '--resend', entry.id, ...flags)
}

const post = ({ id, namespace }: Entry, body: ResendRequest) =>
  answerOf(api.POST('/requests/{id}/resend', { params: { path: { id }, query: { namespace } }, body }))

async function send(entry: Entry, draft?: Draft): Promise<void> {
  const made = await post(entry, bodyOf(entry, { draft }))
  sending.value = { of: '' }
  go({ id: made.id, of: made.namespace })
}

/** In a copy of the world as it was before the request. */
async function sendThen(entry: Entry, draft: Draft | undefined, into: string): Promise<void> {
  await fork(entry.namespace, into, entry.id)
  sending.value = { of: nameOf(entry), made: await post(entry, bodyOf(entry, { draft, into })) }
}

/** Sends a request once more: as it was or edited, now or in the state of then. */
export function Resend({ entry }: { entry: Entry }) {
  const { draft, into, made } = sendingOf(entry)
  const change = (members: Partial<Sending>) => {
    sending.value = { ...sendingOf(entry), ...members }
  }
  return (
    <>
      <div class="acts again">
        <Act place="detail" command={lineOf(entry, {})} run={() => send(entry)}>
          Send again
        </Act>
        <button
          type="button"
          class="act"
          aria-expanded={draft !== undefined}
          onClick={() => change({ draft: draft ? undefined : draftOf(entry) })}
        >
          Edit…
        </button>
        {entry.key !== null && (
          <button
            type="button"
            class="act"
            aria-expanded={into !== undefined}
            onClick={() => change({ into: into === undefined ? freeName.value : undefined })}
          >
            Send in the state before it…
          </button>
        )}
      </div>
      {entry.key === null && (
        <p class="hint">
          It cannot be sent in the state before it: a copy of that state is a namespace, which the key of a
          request names, and this one came without a key.
        </p>
      )}
      {draft && <Edit entry={entry} draft={draft} change={(next) => change({ draft: next })} />}
      {into !== undefined && (
        <Then entry={entry} draft={draft} into={into} change={(next) => change({ into: next })} />
      )}
      {made && (
        <p class="hint" role="status">
          Answered with {made.status === 0 ? 'nothing' : made.status}:{' '}
          <a href={hrefOf({ id: made.id, namespace: made.namespace })}>
            {made.id} in {made.namespace}
          </a>
        </p>
      )}
    </>
  )
}

interface ThenProps {
  readonly entry: Entry
  readonly draft: Draft | undefined
  readonly into: string
  readonly change: (into: string) => void
}

function Then({ entry, draft, into, change }: ThenProps) {
  const { id, namespace } = entry
  const forking = commandIn(namespace, 'fork', into, '--at', id, '--side', 'before')
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <p class="hint">
        Copies the world as it was before {id}, and sends the request there. Nothing changes here.
      </p>
      <label>
        Into the namespace
        <input value={into} spellcheck={false} onInput={({ currentTarget }) => change(currentTarget.value)} />
      </label>
      <Act
        place="detail"
        command={`${forking} && ${lineOf(entry, { draft, into })}`}
        run={() => sendThen(entry, draft, into)}
      >
        {draft ? 'Send edited' : 'Send'} in {into}
      </Act>
    </form>
  )
}

interface EditProps {
  readonly entry: Entry
  readonly draft: Draft
  readonly change: (draft: Draft) => void
}

function Edit({ entry, draft, change }: EditProps) {
  const edit =
    (name: keyof Draft) =>
    ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      change({ ...draft, [name]: currentTarget.value })
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <label>
        Method
        <input value={draft.method} onInput={edit('method')} spellcheck={false} />
      </label>
      <label>
        Path
        <input value={draft.path} onInput={edit('path')} spellcheck={false} />
      </label>
      <label>
        Query
        <input value={draft.query} onInput={edit('query')} spellcheck={false} />
      </label>
      <label>
        Body
        <textarea rows={4} value={draft.body} onInput={edit('body')} spellcheck={false} />
      </label>
      <Act place="detail" command={lineOf(entry, { draft })} run={() => send(entry, draft)}>
        Send edited
      </Act>
    </form>
  )
}
