import { expect, test, vi } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { Dice } from './dice.ts'

const SEED = Number(process.env.PETSTORE_FUZZ_SEED ?? 1)
const ROUNDS = process.env.PETSTORE_SOAK ? 50 : 2

/** The number of steps in each turn. */
const turns = vi.hoisted((): number[] => [])

// A clock on which every step takes 1 ms.
vi.mock('../../src/node/turns.ts', async (original) => {
  const { Slices } = await import('../../src/time/slices.ts')
  let now = 0
  const later = (act: () => void) =>
    setImmediate(() => {
      const began = now
      act()
      turns.push(now - began)
    })
  return { ...(await original<object>()), slices: new Slices({ later, clock: () => now++ }) }
})

/** A random call that reads. A repeated one has the same answer. */
function reading(dice: Dice): readonly [string, string, object?] {
  const match = {
    ...(dice.once(2) && { operationId: dice.pick(['createPet', 'listPets']) }),
    ...(dice.once(2) && { status: dice.pick([200, 201, 404]) }),
    ...(dice.once(2) && { body: dice.pick([{ categoryId: dice.below(60) }, { name: 'none' }, 'x']) }),
  }
  const namespace = dice.pick(['default', 'default', 'w1', 'nobody'])
  const to = (path: string) => `/_sandbox/${path}${path.includes('?') ? '&' : '?'}namespace=${namespace}`
  return dice.pick([
    ['POST', to('requests/wait'), { match: { ...match, path: '/none' }, within: `${dice.below(30)}ms` }],
    ['POST', to('requests/verify'), { match, times: { exactly: dice.below(60) } }],
    ['POST', to('requests/verify'), { match, times: { exactly: 61 }, within: '5ms' }],
    ['GET', to('requests')],
    ['GET', to(`requests?q=${dice.pick(['kit', '"categoryid":1', 'psk_'])}`)],
    ['GET', to('export')],
    ['GET', to('recording')],
    ['GET', to('state?of=now')],
    ['GET', to('diff?a=start&b=now')],
    ['GET', '/_sandbox/report?namespace=*'],
  ] as const)
}

async function answer(sandbox: Sandbox, [method, target, body]: ReturnType<typeof reading>): Promise<string> {
  const response = await sandbox.fetch(target, { method, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  // A recording contains the time of its end.
  return `${response.status} ${target.includes('recording') ? '' : text}`
}

test(`${ROUNDS} times 200 calls at once share the steps of each turn, and get the same answers as single calls`, async () => {
  await using sandbox = await createSandbox({ listen: false, log: 'silent', freeze: true })
  const dice = new Dice(SEED)
  for (let i = 0; i < 120; i++) {
    const authorization = `Bearer psk_enterprise${i % 2 ? '.w1' : ''}`
    const body = JSON.stringify({ name: `Kit${'x'.repeat(dice.below(3000))}`, categoryId: i })
    const headers = { authorization, 'content-type': 'application/json' }
    await sandbox.fetch('/v1/pets', { method: 'POST', headers, body })
  }
  for (let round = 0; round < ROUNDS; round++) {
    const calls = Array.from({ length: 200 }, () => reading(dice))
    turns.length = 0
    const answers = await Promise.all(calls.map((each) => answer(sandbox, each)))
    expect(Math.max(...turns), `seed ${SEED}, round ${round}`).toBeLessThanOrEqual(6)
    expect(turns.length).toBeGreaterThan(1000)
    for (const [i, each] of calls.entries())
      expect(await answer(sandbox, each), `seed ${SEED}, round ${round}: ${JSON.stringify(each)}`).toBe(
        answers[i],
      )
    expect(answers.filter((text) => text.startsWith('5'))).toEqual([])
  }
})
