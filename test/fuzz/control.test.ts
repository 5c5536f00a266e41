import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { type Call, call } from './control-grammar.ts'
import { Dice } from './dice.ts'
import { brokenError } from './invariants.ts'

/** Calls in all: 2,000, or what the environment asks for. */
const CALLS = Number(process.env.PETSTORE_FUZZ_CALLS ?? (process.env.PETSTORE_SOAK ? 50_000 : 2_000))
const SEED = Number(process.env.PETSTORE_FUZZ_SEED ?? 1)
const NAMESPACES = ['default', 'w1']

/** What a refused call must leave as it is. */
async function stateOf(sandbox: Sandbox): Promise<string> {
  const parts = ['export', 'keys', 'faults', 'snapshots', 'report']
  const texts = NAMESPACES.flatMap((name) =>
    parts.map(async (part) => (await sandbox.fetch(`/_sandbox/${part}?namespace=${name}`)).text()),
  )
  return (await Promise.all(texts)).join('\n')
}

async function send(sandbox: Sandbox, { method, target, body }: Call): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return sandbox.fetch(target, { method, headers, ...(body !== undefined && { body }) })
}

test(`${CALLS} control calls at random: none ends in 500, and what is refused changes nothing`, async () => {
  await using sandbox = await createSandbox({ listen: false, log: 'silent' })
  const dice = new Dice(SEED)
  let refused = 0
  for (let done = 0; done < CALLS; done++) {
    const next = call(dice)
    const isLookedAt = dice.once(3)
    const before = isLookedAt ? await stateOf(sandbox) : ''
    const response = await send(sandbox, next)
    const text = await response.text()
    const what = `seed ${SEED}, call ${done}: ${JSON.stringify(next)} → ${response.status} ${text.slice(0, 500)}`
    expect(response.status, what).toBeLessThan(500)
    if (response.status < 400) continue
    refused++
    if (response.status !== 409) expect(brokenError(response.status, text), what).toBeUndefined()
    if (isLookedAt) expect(await stateOf(sandbox), what).toBe(before)
  }
  expect(refused).toBeGreaterThan(CALLS / 20)
}, 3_600_000)
