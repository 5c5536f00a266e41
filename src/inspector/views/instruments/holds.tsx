import { answerOf, api } from '../../data/api.ts'
import { command, world } from '../../data/location.ts'
import { holds, refreshHolds, worldNow } from '../../data/world-state.ts'
import { Act } from '../../parts/act.tsx'
import { brief } from '../../text/text.ts'
import { distance } from '../../text/time.ts'
import { holdText } from './fault-text.ts'

/** Requests that wait for their answer, each with the button that lets it go on. */
export const Holds = () => (
  <ul class="rules" aria-label="Held requests">
    {holds.value.slice(0, 30).map(({ id, request, operationId, until, since, timeout }) => (
      <li key={id}>
        <span>
          {brief(`${request} ${operationId ?? ''}`, 80)} {holdText(until)}
        </span>
        <span class="quiet">
          {distance(Date.parse(since), worldNow.value)}, at most {brief(timeout, 20)}
        </span>
        <Act
          place="faults"
          class="small"
          label={`Release ${id}`}
          command={command('holds', 'release', id)}
          run={async () => {
            await answerOf(
              api.POST('/holds/{id}/release', {
                params: { path: { id }, query: { namespace: world.value } },
              }),
            )
            refreshHolds()
          }}
        >
          Release
        </Act>
      </li>
    ))}
  </ul>
)
