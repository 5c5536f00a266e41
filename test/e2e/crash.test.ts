import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasPart } from '../parts.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, start, stopAll } from '../support/program.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(stopAll)

const headers = { authorization: 'Bearer psk_enterprise', 'content-type': 'application/json' }
const options = () => [
  '--port',
  '0',
  '--db',
  join(folder, 'db.json'),
  '--log',
  'silent',
  '--limits',
  'enterprise=unlimited/unlimited',
  '--fixture',
  'empty',
]

interface Pet {
  id: number
  name: string
}

const post = async (
  { baseUrl }: Program,
  name: string,
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: JSON.stringify({ name, categoryId: 1 }), signal })

/** Kills a program, and aborts its pending requests a second later, since fetch may wait for a connection forever. */
async function kill(program: Program, sending: AbortController): Promise<void> {
  await program.stop('SIGKILL')
  setTimeout(() => sending.abort(), 1000)
}

const exported = async ({ origin }: Program): Promise<Pet[]> =>
  (await (await fetch(`${origin}/_sandbox/export`)).json()).pets

/** Sends POST requests from several writers until the program ends; adds to `acknowledged` and `sent`. */
async function write(
  program: Program,
  round: number,
  acknowledged: Map<string, number>,
  sent: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const writer = async (number: number) => {
    for (let i = 0; ; i++) {
      const name = `round ${round} writer ${number} pet ${i}`
      sent.add(name)
      try {
        const response = await post(program, name, signal)
        acknowledged.set(name, ((await response.json()) as Pet).id)
      } catch {
        return
      }
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, number) => writer(number)))
}

/** PETSTORE_SOAK=1 runs more of them. */
const KILLS = process.env.PETSTORE_SOAK ? 100 : 8

it(`after each of ${KILLS} random kills every acknowledged pet exists once, with its id, and no other`, async () => {
  const acknowledged = new Map<string, number>()
  const sent = new Set<string>()
  let program = await start(options())
  for (let round = 0; round < KILLS; round++) {
    const sending = new AbortController()
    const writing = write(program, round, acknowledged, sent, sending.signal)
    // The kill comes during the work, at any speed: after some more responses.
    const enough = acknowledged.size + 1 + Math.random() * 60
    while (acknowledged.size < enough) await pause(Math.random() * 3)
    await kill(program, sending)
    await writing
    program = await start(options())
    const pets = await exported(program)
    const byName = new Map(pets.map(({ name, id }) => [name, id]))
    expect(byName.size, `round ${round}: a pet is there twice`).toBe(pets.length)
    expect(new Set(pets.map(({ id }) => id)).size, `round ${round}: an id is there twice`).toBe(pets.length)
    for (const [name, id] of acknowledged) expect(byName.get(name), `round ${round}: ${name}`).toBe(id)
    for (const { name } of pets) expect(sent.has(name), `round ${round}: ${name} was never sent`).toBe(true)
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS)
  await program.stop()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    expect(() => JSON.parse(readFileSync(join(folder, file), 'utf8')), file).not.toThrow()
  }
})

it('after a kill during a rewind, the rewind has happened completely or not at all', async () => {
  const arrived = new Set<string>()
  let program = await start(options())
  for (let round = 0; round < KILLS; round++) {
    const sending = new AbortController()
    const control = (path: string, body: unknown) =>
      fetch(`${program.origin}/_sandbox${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: sending.signal,
      })
    const state = async () => (await fetch(`${program.origin}/_sandbox/export`)).text()
    const before = await state()
    const first = (await post(program, `round ${round}`)).headers.get('x-request-id')
    // Every second time pets are replaced: a few, which go to the log, or many, which only go to the data file.
    if (round % 2 === 1) await control('/seed', { count: round % 4 === 1 ? 2000 : 20_000 })
    for (let i = 0; i < 20; i++) await post(program, `round ${round} pet ${i}`)
    const after = await state()
    const going = control('/rewind', { to: first }).catch(() => undefined)
    if (round % 4 < 2) await pause(Math.random() * 15)
    else await going
    await kill(program, sending)
    await going
    program = await start(options())
    const found = await state()
    expect([before, after], `round ${round}`).toContain(found)
    if (round % 4 >= 2) expect(found, `round ${round}: it was answered`).toBe(before)
    arrived.add(found === before ? 'before' : 'after')
  }
  expect(arrived).toContain('before')
})

const hasPrlimit = hasPart(
  spawnSync('prlimit', ['--version']).status === 0,
  'prlimit (util-linux)',
  'the tests of a full disk',
)

describe.skipIf(!hasPrlimit)('if nothing more can be written', () => {
  it('the client gets 503, earlier pets stay, and changes are possible again when there is space', async () => {
    const program = await start(options(), {
      through: ['prlimit', '--fsize=65536:unlimited'],
    })
    const kept: number[] = []
    let refused: Response | undefined
    for (let i = 0; i < 3000 && !refused; i++) {
      const response = await post(program, `pet ${i} ${'x'.repeat(200)}`)
      if (response.status === 201) kept.push(((await response.json()) as Pet).id)
      else refused = response
    }
    expect(refused?.status).toBe(503)
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(refused?.headers.get('x-ratelimit-limit')).toBeTruthy()
    expect(await refused?.json()).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect((await exported(program)).map(({ id }) => id)).toEqual(kept)

    spawnSync('prlimit', ['--pid', String(program.child.pid), '--fsize=unlimited:unlimited'])
    const response = await post(program, 'there is room again')
    expect(response.status).toBe(201)
    const created: Pet = await response.json()
    expect(kept).not.toContain(created.id)
    await program.stop('SIGKILL')
    const again = await start(options())
    expect((await exported(again)).map(({ id }) => id)).toEqual([...kept, created.id])
  })
})
