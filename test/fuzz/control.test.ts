import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { controlOf } from '../control/client.ts'
import { call } from './control-grammar.ts'
import { Dice } from './dice.ts'
import { brokenError, STACK } from './invariants.ts'

/** The total number of calls: 1,000, or the value of the environment. */
const CALLS = Number(process.env.PETSTORE_FUZZ_CALLS ?? (process.env.PETSTORE_SOAK ? 50_000 : 1_000))
const SEED = Number(process.env.PETSTORE_FUZZ_SEED ?? 1)
const NAMESPACES = ['default', 'w1']

/** The state, which a refused call must not change. */
async function stateOf(sandbox: Sandbox): Promise<string> {
  const parts = ['export', 'keys', 'faults', 'snapshots', 'report']
  const texts = NAMESPACES.flatMap((name) =>
    parts.map(async (part) => (await sandbox.fetch(`/_sandbox/${part}?namespace=${name}`)).text()),
  )
  // A window that has not begun ends a minute from now.
  return (await Promise.all(texts)).join('\n').replaceAll(/"resetsAt":"[^"]*"/g, '')
}

test(`${CALLS} random control calls: each answer is valid by the document, and a refused call changes nothing`, async () => {
  await using sandbox = await createSandbox({ listen: false, log: 'silent' })
  const send = controlOf(sandbox.fetch)
  const dice = new Dice(SEED)
  let refused = 0
  for (let done = 0; done < CALLS; done++) {
    const { method, path, body } = call(dice)
    const isLookedAt = dice.once(5)
    const before = isLookedAt ? await stateOf(sandbox) : ''
    const what = `seed ${SEED}, call ${done}: ${method} ${path} ${body}`
    const answer = await send(method, path, body).catch((error) => {
      throw new Error(what, { cause: error })
    })
    expect(answer.status, `${what} → ${answer.text}`).not.toBe(500)
    if (answer.status < 400) continue
    refused++
    expect(answer.body.message, what).not.toMatch(STACK)
    if (answer.status !== 409) expect(brokenError(answer.status, answer.text), what).toBeUndefined()
    if (isLookedAt) expect(await stateOf(sandbox), what).toBe(before)
  }
  expect(refused).toBeGreaterThan(CALLS / 20)
  expect(refused).toBeLessThan((CALLS * 4) / 5)
})
