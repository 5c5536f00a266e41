import { dismissed, rewind, saved, saveRecording, undo, undoable } from '../data/acts.ts'
import { answerOf, api, ROOT } from '../data/api.ts'
import { events, isLater, stops, undoneText } from '../data/events.ts'
import { command, go, goTo, namespace, point, world } from '../data/location.ts'
import { namespaces, unseen } from '../data/state.ts'
import type { Entry } from '../data/types.ts'
import { Act, Copy, Press, Refused } from '../parts/act.tsx'
import { brief, count } from '../text/text.ts'
import { ForkMenu } from '../views/requests/fork.tsx'

/** What the page shows that is not now, or what was just done and can be undone. */
export const Notice = () => (
  <>
    {point.value === undefined ? <Done /> : <Then id={point.value} />}
    {saved.value !== undefined && <Saved file={saved.value} />}
  </>
)

function Saved({ file }: { file: string }) {
  return (
    <section class="notice" aria-label="Saved">
      <p role="status">
        <b>Saved {file}.</b> It opens with{' '}
        <OpeningLine line={`petstore-sandbox replay ${file} --port 4011`} />{' '}
        <Press
          class="text small"
          run={() => {
            saved.value = undefined
          }}
        >
          Close
        </Press>
      </p>
    </section>
  )
}

const OpeningLine = ({ line }: { line: string }) => (
  <>
    <code>{line}</code> <Copy text={line} class="text small" />
  </>
)

const recordLine = (): string => `${command('record')} > ${world.value}.jsonl`

const SaveRecording = () => (
  <Act place="notice" always command={recordLine()} run={saveRecording}>
    Save recording
  </Act>
)

/** All views show a state that was: what can be done from there. */
function Then({ id }: { id: string }) {
  const later = events.value.filter((event) => event.branch === undefined && isLater(event))
  const calls = later.filter(({ kind }) => kind === 'call').length
  return (
    <section class="notice" aria-label="Point in time">
      <p role="status">
        <b>The state before {id}.</b> All views show it. Nothing is undone.{' '}
        <span class="quiet">{undoneText(later.length - calls, calls)} came later.</span>
      </p>
      <div class="acts">
        <Act
          class="primary small"
          place="notice"
          always
          command={command('rewind', id)}
          run={() => rewind(id)}
        >
          Rewind to before
        </Act>
        <ForkMenu from={world.value} at={id} />
        <Press class="text small" run={() => go({ at: undefined }, true)}>
          Back to now <kbd>Esc</kbd>
        </Press>
      </div>
      <Refused place="notice" />
      <Refused place="then" />
      {unseen.value !== '' && (
        <p class="refused" role="alert">
          {brief(unseen.value)}
        </p>
      )}
    </section>
  )
}

/** The last rewind, or the last control call of this page, with its undo. */
function Done() {
  const found = undoable.value
  if (!found) return <Refused place="notice" />
  const { call, since } = found
  const isBack = call.undid !== undefined
  return (
    <section class="notice" aria-label="Done">
      <p role="status">{isBack ? <BackText branch={call.undid ?? ''} /> : <b>{brief(call.what)}.</b>}</p>
      <div class="acts">
        <Act
          class="primary small"
          place="notice"
          command={
            isBack ? command('rewind', '--undo', '--branch', call.undid ?? '') : command('rewind', call.id)
          }
          run={() => undo(call)}
        >
          {isBack || since === 0 ? 'Undo' : `Rewind to before it, ${count(since, 'request')} too`}{' '}
          <kbd>u</kbd>
        </Act>
        {isBack && <FromBranch branch={call.undid ?? ''} />}
        <Press class="text small" run={() => (dismissed.value = call.name)}>
          Close
        </Press>
      </div>
      {isBack && <Opens branch={call.undid ?? ''} />}
      <Refused place="notice" />
    </section>
  )
}

const inBranch = (branch: string) => events.value.filter((event) => event.branch === branch)

function BackText({ branch }: { branch: string }) {
  const undone = inBranch(branch)
  const calls = undone.filter(({ kind }) => kind === 'call').length
  const [first] = undone
  const text = undoneText(undone.length - calls, calls)
  return (
    <>
      <b>Back before {first?.id ?? 'a point'}.</b> {text} {undone.length === 1 ? 'is' : 'are'} undone and
      kept.
    </>
  )
}

/** What can be done with what was undone. */
function FromBranch({ branch }: { branch: string }) {
  const first = inBranch(branch)[0]
  return (
    <>
      {first?.kind === 'request' && (
        <Act
          class="small"
          place="notice"
          command={command('requests', '--resend', first.id)}
          run={() => sendUndone(first.entry)}
        >
          Send it again
        </Act>
      )}
      <SaveRecording />
    </>
  )
}

/** The journal has it no more: it is sent as the page has seen it. */
async function sendUndone({ method, path, query, request, key }: Entry): Promise<void> {
  if (request.truncated) throw new Error('Its body was cut: what is sent would not be the same.')
  if (key?.includes('…')) throw new Error('Its key is masked. Undo the rewind, and send it again from there.')
  const type = request.headers['content-type']
  await fetch(`${ROOT}${path}${query && `?${query}`}`, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...(type && { 'content-type': type }) },
    ...(request.body !== '' && { body: request.body }),
    // A rule may lose the answer: its row says so.
  }).catch(() => {})
}

/** The line that opens the recording at this point. */
function Opens({ branch }: { branch: string }) {
  const first = inBranch(branch)[0]
  const last = stops.value.findLast(({ real, kind }) => kind === 'request' && (!first || real <= first.real))
  if (!last) return null
  return (
    <p class="quiet small opens">
      The recording opens at this point with{' '}
      <OpeningLine line={`petstore-sandbox replay ${world.value}.jsonl --until ${last.id} --port 4011`} />
    </p>
  )
}

/** A link never makes a namespace: it is asked for. */
export function MissingWorld() {
  const name = namespace.value
  const near = nearestName(
    name,
    namespaces.value.map((each) => each.name),
  )
  return (
    <section class="none" aria-label="Missing namespace">
      <p>
        There is no namespace <b>{name}</b>.{' '}
        {near !== undefined && (
          <>
            Did you mean{' '}
            <button type="button" class="link" onClick={() => goTo(near)}>
              {near}
            </button>
            ?
          </>
        )}
      </p>
      <p class="acts">
        <Act
          class="primary"
          command={command('reset', 'limits')}
          always
          run={() =>
            answerOf(
              api.POST('/reset', { params: { query: { namespace: name } }, body: { only: ['limits'] } }),
            )
          }
        >
          Make it
        </Act>
        <Press run={() => goTo('default')}>Back to default</Press>
      </p>
    </section>
  )
}

/** The name that shares the most pairs of letters. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const pairs = (text: string) =>
    new Set(Array.from(text, (letter, index) => letter + (text[index + 1] ?? '')))
  const own = pairs(name)
  const scored = names.map((other) => {
    const common = [...pairs(other)].filter((pair) => own.has(pair)).length
    return { other, score: common / Math.max(own.size, other.length) }
  })
  const best = scored.sort((a, b) => b.score - a.score)[0]
  return best && best.score >= 0.5 ? best.other : undefined
}
