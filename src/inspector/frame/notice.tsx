import { closestMatch } from 'leven'
import { dismissed, rewind, saved, saveRecording, undo, undoable, undoText } from '../data/actions.ts'
import { call } from '../data/call.ts'
import { type CallEvent, countText } from '../data/event.ts'
import { events } from '../data/events.ts'
import { isLater, stops } from '../data/listed.ts'
import { go, goTo, hrefOf, namespace, point, world } from '../data/location.ts'
import { namespaces, unseen } from '../data/state.ts'
import { Act, Copy, Place, Press, Refused } from '../parts/act.tsx'
import { brief } from '../text/text.ts'
import { ForkMenu } from '../views/requests/fork.tsx'
import { resend } from '../views/requests/resend.tsx'

/** Says that the page shows an earlier state, or what was just done, with its undo. */
export function Notice() {
  const done = undoable.value
  return (
    <Place name="notice">
      {point.value !== undefined ? <Then id={point.value} /> : done && <Done {...done} />}
      {saved.value !== undefined && <Saved file={saved.value} />}
    </Place>
  )
}

const Saved = ({ file }: { file: string }) => (
  <section class="notice acts" aria-label="Saved">
    <p role="status">
      <b>Saved {file}.</b> It opens with <OpeningLine line={`petstore-sandbox replay ${file} --port 4011`} />{' '}
      <Press class="text small" run={() => (saved.value = undefined)}>
        Close
      </Press>
    </p>
  </section>
)

const OpeningLine = ({ line }: { line: string }) => (
  <>
    <code>{line}</code> <Copy text={line} class="text small" />
  </>
)

/** Actions for a shown earlier state. */
const Then = ({ id }: { id: string }) => (
  <section class="notice acts" aria-label="Point in time">
    <p role="status">
      <b>The state before {id}.</b> All views show it. Nothing is undone.{' '}
      <span class="quiet">
        {countText(events.value.filter((event) => event.branch === undefined && isLater(event)))} came later.
      </span>
    </p>
    <div class="acts">
      <Act class="primary small" always {...rewind(id)}>
        Rewind to before
      </Act>
      <ForkMenu from={world.value} at={id} />
      <Press class="text small" run={() => go({ at: undefined }, true)}>
        Back to now <kbd>Esc</kbd>
      </Press>
    </div>
    <Refused message={brief(unseen.value)} />
  </section>
)

/** Describes a rewind, or a control call of this page, with its undo. */
function Done({ call, since }: { call: CallEvent; since: number }) {
  const undone = events.value.filter(({ branch }) => branch !== undefined && branch === call.undid)
  const [first] = undone
  return (
    <section class="notice acts" aria-label="Done">
      <p role="status">
        {call.undid === undefined ? (
          <b>{brief(call.what)}.</b>
        ) : (
          <>
            <b>Back before {first?.id ?? 'a point'}.</b> {countText(undone)}{' '}
            {undone.length === 1 ? 'is' : 'are'} undone and kept.
          </>
        )}
      </p>
      <div class="acts">
        <Act class="primary small" {...undo(call)}>
          {undoText(call.undid === undefined ? since : 0)} <kbd>u</kbd>
        </Act>
        {first?.kind === 'request' && (
          <Act class="small" {...resend(first.entry)}>
            Send it again
          </Act>
        )}
        {first && (
          <Act class="small" {...saveRecording()}>
            Save recording
          </Act>
        )}
        <Press class="text small" run={() => (dismissed.value = call.name)}>
          Close
        </Press>
      </div>
      {first && <Opens before={first.real} />}
    </section>
  )
}

/** The command line that opens the recording at this point. */
function Opens({ before }: { before: number }) {
  const last = stops.value.findLast(({ real, kind }) => kind === 'request' && real <= before)
  if (!last) return null
  return (
    <p class="quiet small whole">
      The recording opens at this point with{' '}
      <OpeningLine line={`petstore-sandbox replay ${world.value}.jsonl --until ${last.id} --port 4011`} />
    </p>
  )
}

/** Offers to create a missing namespace: a link alone never creates one. */
export function MissingWorld() {
  const name = namespace.value
  const names = namespaces.value.map((each) => each.name)
  const near = closestMatch(name, names, { maxDistance: 3 })
  return (
    <section class="none" aria-label="Missing namespace">
      <p>
        There is no namespace <b>{name}</b>.{' '}
        {near !== undefined && (
          <>
            Did you mean <a href={hrefOf({ namespace: near })}>{near}</a>?
          </>
        )}
      </p>
      <p class="acts">
        <Act class="primary" always {...call('reset', { body: { only: ['limits'] } })}>
          Make it
        </Act>
        <Press run={() => goTo('default')}>Back to default</Press>
      </p>
    </section>
  )
}
