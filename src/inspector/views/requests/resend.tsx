import { signal } from '@preact/signals'
import { fork } from '../../data/acts.ts'
import { answerOf, api } from '../../data/api.ts'
import { commandIn, go } from '../../data/location.ts'
import { freeName } from '../../data/state.ts'
import type { Entry, ResendRequest } from '../../data/types.ts'
import { Act, Field, Press } from '../../parts/act.tsx'
import { Menu } from '../../parts/menu.tsx'

interface Draft {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** The open form of one request. */
const editing = signal<{ readonly of: string; readonly draft: Draft } | undefined>(undefined)

const nameOf = ({ namespace, id, receivedAt }: Entry): string => `${namespace} ${id} ${receivedAt}`

const draftOf = ({ method, path, query, request }: Entry): Draft => ({
  method,
  path,
  query,
  body: request.body,
})

/** As it was, or as it is in the draft; in its own namespace or a copy. */
function bodyOf(entry: Entry, draft?: Draft, into?: string): ResendRequest {
  const was = draftOf(entry)
  const names = Object.keys(was) as (keyof Draft)[]
  const edits =
    draft &&
    Object.fromEntries(names.filter((each) => draft[each] !== was[each]).map((each) => [each, draft[each]]))
  return { ...(into !== undefined && { into }), ...(edits && { edits }) }
}

function lineOf(entry: Entry, draft?: Draft, into?: string): string {
  const { edits } = bodyOf(entry, draft)
  const flags = [
    ...(into === undefined ? [] : ['--into', into]),
    ...(edits ? ['--edits', JSON.stringify(edits)] : []),
  ]
  const line = commandIn(entry.namespace, 'requests', '--resend', entry.id, ...flags)
  if (into === undefined) return line
  return `${commandIn(entry.namespace, 'fork', into, '--at', entry.id, '--side', 'before')} && ${line}`
}

async function send(entry: Entry, draft?: Draft, into?: string): Promise<void> {
  const { id, namespace } = entry
  if (into !== undefined) await fork(namespace, into, id)
  const params = { path: { id }, query: { namespace } }
  const made = await answerOf(
    api.POST('/requests/{id}/resend', { params, body: bodyOf(entry, draft, into) as never }),
  )
  editing.value = undefined
  go({
    id: made.id,
    branch: undefined,
    ...(into === undefined
      ? { of: made.namespace }
      : { namespace: into, of: undefined, key: undefined, at: undefined }),
  })
}

/** Why it cannot be sent again; empty where it can. */
function obstacle({ request, branch }: Entry): string {
  if (request.truncated) return 'Its body was cut or is not text: what is sent would not be the same.'
  return branch ? 'It was undone: undo the rewind first.' : ''
}

/** Sends a request once more: now, edited, or in a copy of the state before it. */
export function SendAgain({ entry }: { entry: Entry }) {
  const into = freeName.value
  const why = obstacle(entry)
  return (
    <Menu label="Send again">
      <div class="choices" data-done={why === '' ? true : undefined}>
        <Act
          class="text"
          place="detail"
          disabled={why !== ''}
          command={lineOf(entry)}
          run={() => send(entry)}
        >
          Now
        </Act>
        <Press
          class="text"
          disabled={why !== ''}
          command={lineOf(entry, draftOf(entry))}
          run={() => (editing.value = { of: nameOf(entry), draft: draftOf(entry) })}
        >
          Edited…
        </Press>
        {entry.key !== null && (
          <Act
            class="text"
            place="detail"
            always
            disabled={why !== ''}
            command={lineOf(entry, undefined, into)}
            run={() => send(entry, undefined, into)}
          >
            In a copy of the state before, {into}
          </Act>
        )}
        {why && <p class="hint">{why}</p>}
      </div>
    </Menu>
  )
}

const FIELDS: readonly (readonly [keyof Draft, string, number?])[] = [
  ['method', 'Method'],
  ['path', 'Path'],
  ['query', 'Query'],
  ['body', 'Body', 4],
]

/** The form for what is sent edited. */
export function Edit({ entry }: { entry: Entry }) {
  const open = editing.value
  if (open?.of !== nameOf(entry)) return null
  const { draft } = open
  const into = freeName.value
  return (
    <form class="form">
      {FIELDS.map(([name, label, rows]) => (
        <Field
          key={name}
          label={label}
          value={draft[name]}
          {...(rows && { rows })}
          put={(text) => (editing.value = { ...open, draft: { ...draft, [name]: text } })}
        />
      ))}
      <div class="acts">
        <Act
          type="submit"
          class="primary"
          place="detail"
          command={lineOf(entry, draft)}
          run={() => send(entry, draft)}
        >
          Send edited
        </Act>
        {entry.key !== null && (
          <Act
            place="detail"
            always
            command={lineOf(entry, draft, into)}
            run={() => send(entry, draft, into)}
          >
            In a copy, {into}
          </Act>
        )}
        <Press class="text" run={() => (editing.value = undefined)}>
          Cancel
        </Press>
      </div>
    </form>
  )
}
