import { useSignal } from '@preact/signals'
import { lineAbout } from '../../../control/call-words.ts'
import { call } from '../../data/actions.ts'
import { hasState, trueTime } from '../../data/api.ts'
import { controlInputs } from '../../data/document.ts'
import { command, go, hrefOf, point, shownFlags } from '../../data/location.ts'
import {
  chosenKey,
  decisions,
  isTimeKnown,
  keyNamed,
  limits,
  panelKeys,
  pointError,
  shownClock,
  tick,
  worldNow,
} from '../../data/state.ts'
import type { ClockTurn } from '../../data/types.ts'
import { ActionButton, Menu, Place } from '../../parts/buttons.tsx'
import { Form } from '../../parts/form.tsx'
import { Level, Remaining } from '../../parts/gauge.tsx'
import { ahead, dateOf, dayOf, duration, fullIn, isPast, timeOfDay, visible } from '../../text/text.ts'
import { FaultsPanel, FaultsSummary } from './faults.tsx'
import './instruments.css'

function clockState(): string {
  if (point.value !== undefined) return 'as it was'
  return shownClock.value?.frozen ? 'frozen' : ahead(worldNow.value, trueTime(tick.value))
}

const ClockSummary = () => (
  <>
    <b class="data">{timeOfDay(worldNow.value, 0)}</b>{' '}
    <span class="quiet day">
      {dayOf(worldNow.value)} <span class="state">· {clockState()}</span>
    </span>
  </>
)

const turn = (text: string, body: ClockTurn, classes = '') => (
  <ActionButton class={classes} text={text} {...call('turnClock', { body })} />
)

/** The clock of the namespace and its controls. */
function ClockPanel() {
  const now = worldNow.value
  const removedOn = decisions.value.find(({ name }) => name === 'get.removedOn')?.value
  // Not the running clock: the field would change while it is edited.
  const opened = useSignal(now)
  const isFrozen = shownClock.value?.frozen === true && point.value === undefined
  return (
    <>
      <p class="time" data-command={command('clock', ...shownFlags())}>
        {timeOfDay(now, 0)} <span class="quiet small">UTC</span>
      </p>
      <p class="quiet small">{`${dateOf(now)} · ${clockState()}`}</p>
      <div class="group">
        {turn('+61 s', { advance: '61s' })}
        {turn('+1 day', { advance: '1d' })}
        <Menu text="More" changes onOpen={() => (opened.value = now)}>
          <Form
            fields={controlInputs('turnClock').filter(({ name }) => name === 'set')}
            first={{ set: `${new Date(opened.value).toISOString().slice(0, -5)}Z` }}
            submit="Set the clock"
            act={({ set = '' }) => call('turnClock', { body: { set } })}
          />
          <div class="choices" data-done>
            {turn(isFrozen ? 'Run' : 'Freeze', { frozen: !isFrozen }, 'text')}
            <ActionButton class="text" text="Real time" {...call('resetClock')} />
            {hasState.value &&
              typeof removedOn === 'string' &&
              turn('To the day getPet is removed', { set: removedOn }, 'text')}
          </div>
        </Menu>
      </div>
    </>
  )
}

function LimitsSummary() {
  const key = chosenKey.value
  const window = limits.value.get(key)?.minute
  return (
    <>
      <span class="data name cut">{visible(key)}</span>
      {window && <Level window={window} />}
      <span class="data">{window && <Remaining window={window} />}</span>
    </>
  )
}

const MAX = 4

/** The limits of each key with requests. The chosen key is that of the timeline, and its limits can be changed. */
function LimitsPanel() {
  const chosen = chosenKey.value
  const all = panelKeys.value
  const names = all.slice(0, MAX).includes(chosen) ? all.slice(0, MAX) : [...all.slice(0, MAX - 1), chosen]
  const params = { key: keyNamed(chosen) }
  const shown = limits.value.get(chosen)
  const ban = isPast(shown?.ban?.until, worldNow.value) ? undefined : shown?.ban
  const banned = ban && `banned, ${duration(Date.parse(ban.until) - worldNow.value)} left`
  return (
    <>
      {names.map((name) => {
        const view = limits.value.get(name)
        return (
          <button
            key={name}
            type="button"
            class="gauge"
            aria-pressed={name === chosen}
            data-command={command(...lineAbout('limits', keyNamed(name), ...shownFlags()))}
            onClick={() => go({ key: name }, true)}
          >
            <span>{visible(name)}</span> {view && <Remaining window={view.minute} />}{' '}
            {view && <Level class="whole" window={view.minute} />}
            {name === chosen && view && (
              <span class="sub whole quiet">
                <span>{banned || fullIn(view.minute, worldNow.value) || 'full'}</span>{' '}
                <span>
                  day <Remaining window={view.day} />
                </span>
              </span>
            )}
          </button>
        )
      })}
      {all.length > names.length && (
        <p class="small">
          <a href={hrefOf({ view: 'limits' })}>{all.length - names.length} more</a>
        </p>
      )}
      {shown && (
        <div class="actions">
          <fieldset class="group" aria-label={visible(chosen)}>
            <ActionButton text="Leave 1" {...call('setKeyLimits', { params, body: { remaining: 1 } })} />
            <ActionButton text="Refill" {...call('refillKeyLimits', { params })} />
            {ban && <ActionButton text="Lift ban" {...call('liftBan', { params })} />}
          </fieldset>
          <span class="quiet small">{visible(chosen)}</span>
        </div>
      )}
    </>
  )
}

const PANELS = [
  { title: 'Clock', note: '', Summary: ClockSummary, Body: ClockPanel },
  { title: 'Limits', note: 'left this minute', Summary: LimitsSummary, Body: LimitsPanel },
  { title: 'Faults', note: '', Summary: FaultsSummary, Body: FaultsPanel },
]

/** Clock, limits and faults, beside every view. On narrow screens they are one line, of which each part opens. */
export function Instruments() {
  const isKnown = pointError.value === '' && isTimeKnown.value
  const unknown = <span class="quiet">{pointError.value ? 'not known' : 'reading the state'}</span>
  const panels = PANELS.filter(({ title }) => hasState.value || title !== 'Limits')
  return (
    <aside class="instruments" aria-label="Instruments">
      {panels.map(({ title, note, Summary, Body }) => (
        <section key={title} class="panel" aria-label={title}>
          <Menu class="text summary" text={isKnown ? <Summary /> : unknown}>
            <h2 class="quiet">
              {title} <span class="quiet">{note}</span>
            </h2>
            <Place name={title}>{isKnown ? <Body /> : <p class="small">{unknown}</p>}</Place>
          </Menu>
        </section>
      ))}
    </aside>
  )
}
