import { closestMatch } from 'leven'
import { call, dismissed, rewind, saved, saveRecording, undo, undoable, undoText } from '../data/actions.ts'
import { hasState } from '../data/api.ts'
import { countText } from '../data/event.ts'
import { events, present } from '../data/events.ts'
import { isLater, pointEvent } from '../data/listed.ts'
import { go, hrefOf, namespace, point, world } from '../data/location.ts'
import { namespaces, pointError } from '../data/state.ts'
import { ActionButton, Button, Copy, Place, Refused, Shortcut, Unbroken } from '../parts/buttons.tsx'
import { brief, sentence } from '../text/text.ts'
import { ForkMenu, resend } from '../views/requests/again.tsx'

/** Says that the page shows an earlier state, or what was just done, with its undo. */
export const Notice = () => (
  <Place name="notice">
    {point.value === undefined ? <UndoNotice /> : <PointNotice id={point.value} />}
    {saved.value !== undefined && (
      <section class="notice actions" aria-label="Saved">
        <p role="status">
          <b>Saved {saved.value}.</b> It opens with <ReplayLine file={saved.value} />
        </p>
        <Button class="text small" text="Close" run={() => (saved.value = undefined)} />
      </section>
    )}
  </Place>
)

/** The command line that opens a recording at its end, or at the point after the request `last`. */
function ReplayLine({ file, last }: { file: string; last?: string | undefined }) {
  // A file whose name begins with a minus would be an option.
  const path = file.replace(/^-/, './-')
  const line = `petstore-sandbox replay ${path}${last ? ` --until ${last}` : ''} --port 4011`
  return (
    <>
      <code>
        <Unbroken text={line} />
      </code>{' '}
      <Copy text={line} class="text small" />
    </>
  )
}

/** Actions for a shown earlier state. */
const PointNotice = ({ id }: { id: string }) => (
  <section class="notice actions" aria-label="Point in time">
    {pointError.value ? (
      <Refused message={pointError.value} />
    ) : (
      <>
        <p>
          <span role="status">
            <b>The state before {id}.</b> All views show it. Nothing is undone.
          </span>{' '}
          {pointEvent.value && (
            <span class="quiet">{countText(present.value.filter(isLater))} came later.</span>
          )}
        </p>
        <ActionButton class="primary small" text="Rewind to before" always {...rewind(id)} />
        <ForkMenu from={world.value} at={id} />
      </>
    )}
    <Button class="text small" run={() => go({ at: undefined }, true)}>
      Back to now <kbd>Esc</kbd>
    </Button>
  </section>
)

/** Describes a rewind, or a control call of this page, with its undo. */
function UndoNotice() {
  if (!undoable.value) return null
  const { call, before: last, since } = undoable.value
  const undone = events.value.filter(({ branch }) => branch !== undefined && branch === call.undid)
  const [first] = undone
  // The recording opens after a request: not after a control call, nor after an id that an undone request has too.
  const isPoint = last?.kind === 'request' && events.value.filter(({ id }) => id === last.id).length === 1
  return (
    <section class="notice actions" aria-label="Undo">
      <p role="status">
        <b>{sentence(brief(call.what))}.</b>
        {first && ` ${call.undone} ${undone.length === 1 ? 'is' : 'are'} undone and kept.`}
      </p>
      <div class="actions">
        <ActionButton class="primary small" {...undo(call)}>
          {undoText(call.undid === undefined ? since : 0)} <Shortcut name="u" />
        </ActionButton>
        {first?.kind === 'request' && (
          <ActionButton class="small" text="Send it again" {...resend(first.entry)} />
        )}
        {first && <ForkMenu from={world.value} />}
        {first && <ActionButton class="small" text="Save recording" {...saveRecording()} />}
        <Button class="text small" text="Close" run={() => (dismissed.value = call.name)} />
      </div>
      {first && (isPoint || since === 0) && (
        <p class="quiet small whole">
          The recording opens at this point with{' '}
          <ReplayLine file={`${world.value}.jsonl`} last={isPoint ? last.id : undefined} />
        </p>
      )}
    </section>
  )
}

/** Offers to create a missing namespace: a link alone never creates one. */
export function MissingNamespace() {
  const name = namespace.value
  const names = namespaces.value.map((each) => each.name)
  const near = closestMatch(name, names, { maxDistance: 3 })
  const make = call('reset', { body: { only: ['limits'] } })
  return (
    <section class="none" aria-label="Missing namespace">
      <p>
        There is no namespace <b>{name}</b>.{' '}
        {near && (
          <>
            Did you mean <a href={hrefOf({ namespace: near })}>{near}</a>?
          </>
        )}
      </p>
      <p class="actions">
        {hasState.value && <Button class="primary" text="Make it" {...make} />}
        <Button text="Back to default" run={() => go({ namespace: 'default' })} />
      </p>
    </section>
  )
}
