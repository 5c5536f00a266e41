import { signal } from '@preact/signals'
import { answerOf, api } from '../../data/api.ts'
import { command, inWorld } from '../../data/location.ts'
import type { PetStatus } from '../../data/types.ts'
import { petsChanged } from '../../data/world-state.ts'
import { Act, Refused } from '../../parts/act.tsx'
import { typedNumber } from '../../text/text.ts'

const FIXTURES = ['default', 'empty', 'sold-out', 'busy', 'edge-cases']

const amount = signal('500')
const shares = signal('')

/** `available=60,sold=40` as the command line takes it. */
export const sharesOf = (text: string): Partial<Record<PetStatus, number>> | undefined =>
  text.trim() === ''
    ? undefined
    : Object.fromEntries(
        text.split(',').map((part) => {
          const [name = '', value = ''] = part.split('=')
          return [name.trim(), typedNumber(value) as number]
        }),
      )

/** Other pets: a fixture, or generated ones. */
export function Seed() {
  const seed = async (body: object) => {
    await answerOf(api.POST('/seed', { ...inWorld(), body: body as { fixture: string; mode: 'replace' } }))
    petsChanged()
  }
  const status = sharesOf(shares.value)
  return (
    <section>
      <h2>Seed</h2>
      <div class="acts">
        {FIXTURES.map((fixture) => (
          <Act key={fixture} place="seed" command={command('seed', fixture)} run={() => seed({ fixture })}>
            {fixture}
          </Act>
        ))}
      </div>
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        <label>
          Generate so many
          <input
            inputMode="numeric"
            value={amount.value}
            onInput={({ currentTarget }) => {
              amount.value = currentTarget.value
            }}
          />
        </label>
        <label>
          Shares of each status
          <input
            placeholder="available=60,pending=30,sold=10"
            value={shares.value}
            onInput={({ currentTarget }) => {
              shares.value = currentTarget.value
            }}
          />
        </label>
        <Act
          place="seed"
          command={command(
            'seed',
            '--count',
            amount.value,
            ...(status ? ['--status', shares.value.trim()] : []),
          )}
          run={() => seed({ count: typedNumber(amount.value), seed: 1, ...(status && { status }) })}
        >
          Generate
        </Act>
      </form>
      <Refused place="seed" />
    </section>
  )
}
