import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { Dice } from './dice.ts'
import { type Answer, answersIn, exchange } from './exchange.ts'
import { connection } from './grammar.ts'
import { brokenIn } from './invariants.ts'

/** The total number of requests: 5,000, or the value of the environment. */
const REQUESTS = Number(process.env.PETSTORE_FUZZ_REQUESTS ?? (process.env.PETSTORE_SOAK ? 100_000 : 5_000))
const SEED = Number(process.env.PETSTORE_FUZZ_SEED ?? 1)
/** A connection sends two requests on average. */
const CONNECTIONS = Math.ceil(REQUESTS / 2)
const AT_ONCE = 50
/** The limit of the heap, including the pets and the budget of the journal. */
const MAX_HEAP = 120 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

interface Found {
  readonly created: number
  readonly broken?: string
}

async function judge(port: number, pieces: readonly string[]): Promise<Found> {
  try {
    const bytes = pieces.join('')
    const answers = answersIn(await exchange(port, bytes), /head/i.test(bytes))
    const broken = answers.map(brokenIn).find((each) => each !== undefined)
    return { created: answers.filter(isCreated).length, ...(broken && { broken }) }
  } catch (error) {
    return { created: 0, broken: (error as Error).message }
  }
}

const isCreated = ({ status }: Answer): boolean => status === 201

/** Removes the pieces without which the same rule is still broken. */
async function shrink(port: number, pieces: readonly string[]): Promise<readonly string[]> {
  let least = pieces
  for (let at = 0; at < least.length; ) {
    const fewer = least.toSpliced(at, 1)
    if ((await judge(port, fewer)).broken) least = fewer
    else at++
  }
  return least
}

/** The number of created pets in all namespaces, also of the key psk_empty. */
async function petsIn(sandbox: Sandbox): Promise<number> {
  let pets = 0
  const names: { name: string }[] = await (await sandbox.fetch('/_sandbox/namespaces')).json()
  for (const { name } of names.map((each) => (typeof each === 'string' ? { name: each } : each))) {
    pets += (await sandbox.namespace(name).export()).pets.length - FIXTURE
    for (let id = 1; await hasEmptyPet(sandbox, name, id); id++) pets++
  }
  return pets
}

const FIXTURE = 12

const hasEmptyPet = async (sandbox: Sandbox, name: string, id: number): Promise<boolean> => {
  const headers = { authorization: `Bearer psk_empty.${name}` }
  return (await sandbox.fetch(`/v1/pets/${id}`, { headers })).status === 200
}

test(`${REQUESTS} random requests break no rule`, async () => {
  await using sandbox = await createSandbox({
    port: 0,
    log: 'silent',
    limits: { pro: 'unlimited/unlimited', enterprise: 'unlimited/unlimited' },
  })
  const dice = new Dice(SEED)
  let created = 0
  for (let sent = 0; sent < CONNECTIONS; sent += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, () => connection(dice))
    const found = await Promise.all(batch.map((pieces) => judge(sandbox.port, pieces)))
    for (const [index, { created: more, broken }] of found.entries()) {
      created += more
      if (!broken) continue
      const least = await shrink(sandbox.port, batch[index] ?? [])
      const { broken: still } = await judge(sandbox.port, least)
      throw new Error(`seed ${SEED}, ${still ?? broken}\nafter sending\n${JSON.stringify(least.join(''))}`)
    }
  }
  expect(created).toBeGreaterThan(REQUESTS / 50)
  expect(await petsIn(sandbox)).toBe(created)
  collect()
  expect(process.memoryUsage().heapUsed).toBeLessThan(MAX_HEAP)
})
