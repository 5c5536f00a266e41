import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { temporaryFolder } from '../support/folder.ts'
import { overSocket } from '../support/over-socket.ts'
import { endOf, runWorkerd } from '../support/workerd.ts'

const folder = temporaryFolder()
const sandbox = join(folder, 'sandbox')
const TOKEN = 'a-token-of-the-cluster'

interface Node {
  readonly process: ChildProcess
  readonly port: number
}

let bucket: ChildProcess
let endpoint: string
const nodes: Node[] = []
let isOver = false

beforeAll(async () => {
  expect(await runCli(['deploy', 'cluster', 'sandbox'], {}, folder)).toMatchObject({ code: 0, err: '' })
  const file = fileURLToPath(new URL('../support/s3.child.ts', import.meta.url))
  bucket = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(bucket.stdout as Readable, 'data')) as [Buffer]
  endpoint = String(line).trim()
  for (const n of [0, 1, 2]) await start(n)
})

afterAll(async () => {
  isOver = true
  for (const each of [bucket, ...nodes.map((node) => node.process)]) await endOf(each, 'SIGKILL')
})

/** Starts a node, and restarts it when it ends, like a supervisor. */
async function start(n: number): Promise<void> {
  const own = ['--socket-addr', 'http=127.0.0.1:0', '--cluster-addr', '127.0.0.1:0']
  mkdirSync(join(sandbox, `worlds${n}`), { recursive: true })
  const { process, ports } = await runWorkerd(
    ['config.capnp', 'cluster', ...own, '--directory-path', `worlds=worlds${n}`],
    ['http'],
    {
      cwd: sandbox,
      // The cluster mode needs a newer version than the other tests.
      of: import.meta.url,
      env: {
        PETSTORE_SANDBOX_CONTROL_TOKEN: TOKEN,
        PETSTORE_SANDBOX_SET: 'durable.log=every',
        AWS_ENDPOINT_URL: endpoint,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'petstore',
        AWS_SECRET_ACCESS_KEY: 'petstore',
      },
    },
  )
  nodes[n] = { process, port: ports.get('http') as number }
  process.once('exit', () => {
    if (!isOver) void start(n)
  })
}

interface Answer {
  readonly port: number
  /** 0 if there was no response. */
  readonly status: number
  readonly body: string
  readonly retryAfter: string | null
}

async function send(port: number, path: string, key: string, json?: unknown): Promise<Answer> {
  const body = json === undefined ? undefined : JSON.stringify(json)
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  try {
    const response = await overSocket(port)(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(body !== undefined && { body }),
    })
    return {
      port,
      status: response.status,
      body: await response.text(),
      retryAfter: response.headers.get('retry-after'),
    }
  } catch {
    return { port, status: 0, body: '', retryAfter: null }
  }
}

/** Creates pets in six namespaces with twelve clients while `disturb` runs, and then reads all of them. */
async function underLoad(round: string, seconds: number, disturb: () => Promise<unknown>): Promise<Answer[]> {
  const worlds = [1, 2, 3, 4, 5, 6].map((n) => `${round}-${n}`)
  const acknowledged = new Map(worlds.map((world) => [world, new Map<string, number>()]))
  const end = Date.now() + seconds * 1000
  const failures: Answer[] = []
  let count = 0
  const client = async (c: number) => {
    const world = worlds[c % 6] as string
    let n = c % 3
    while (Date.now() < end) {
      const name = `${round}-${++count}`
      const node = nodes[n] as Node
      const pet = { name, categoryId: 1 }
      const answer = await send(node.port, '/v1/pets', `psk_enterprise.${world}`, pet)
      if (answer.status === 201) acknowledged.get(world)?.set(name, JSON.parse(answer.body).id)
      else {
        failures.push(answer)
        n = (n + 1) % 3
        await pause(100)
      }
      await pause(10)
    }
  }
  await Promise.all([...Array.from({ length: 12 }, (_, c) => client(c)), pause(2000).then(disturb)])
  for (const world of worlds) {
    const { body } = await answered(`/_sandbox/export?namespace=${world}`, TOKEN)
    const pets = JSON.parse(body).pets as { id: number; name: string }[]
    const ids = new Map(pets.map(({ id, name }) => [name, id]))
    const mine = acknowledged.get(world) as Map<string, number>
    expect(mine.size, `${world}: acknowledged`).toBeGreaterThan(10)
    for (const [name, id] of mine) expect(ids.get(name), `${world}: ${name}`).toBe(id)
    expect(new Set(mine.values()).size).toBe(mine.size)
    expect(pets.map(({ id }) => id)).toEqual(pets.map((_, i) => i + 1))
  }
  return failures
}

/** The first successful response of any node. */
async function answered(path: string, key: string): Promise<Answer> {
  for (let n = 0; ; n++) {
    const answer = await send((nodes[n % 3] as Node).port, path, key)
    if (answer.status === 200) return answer
    await pause(500)
  }
}

const signal = (n: number, name: NodeJS.Signals) => (nodes[n] as Node).process.kill(name)

it('keeps limits exact: 60 of 120 parallel requests pass in each of thirty namespaces, over three nodes', async () => {
  const passed: number[] = []
  // Six at a time: more would delay the leases on a slow machine.
  for (let w = 0; w < 30; w += 6) {
    const all = [0, 1, 2, 3, 4, 5].map(async (each) => {
      const key = `psk_free.limit-${w + each}`
      const sent = Array.from({ length: 120 }, (_, i) =>
        send((nodes[i % 3] as Node).port, '/v1/pets?limit=1', key),
      )
      return (await Promise.all(sent)).filter(({ status }) => status === 200).length
    })
    passed.push(...(await Promise.all(all)))
  }
  expect(passed).toEqual(Array.from({ length: 30 }, () => 60))
})

it('loses nothing if a node is killed; meanwhile the others answer 503 with Retry-After', async () => {
  const { port } = nodes[0] as Node
  const failures = await underLoad('kill', 40, async () => signal(0, 'SIGKILL'))
  const ofOthers = failures.filter((answer) => answer.port !== port)
  expect(ofOthers.length).toBeGreaterThan(0)
  for (const { status, retryAfter } of ofOthers) expect([status, retryAfter]).toEqual([503, '1'])
})

it('loses nothing if a node ends regularly', async () => {
  await underLoad('term', 20, async () => signal(1, 'SIGTERM'))
})

it('loses nothing if a node is suspended for longer than its lease', async () => {
  await underLoad('stop', 50, async () => {
    signal(2, 'SIGSTOP')
    await pause(25_000)
    signal(2, 'SIGCONT')
  })
})

it('loses nothing if the bucket is unavailable for ten seconds', async () => {
  await underLoad('bucket', 40, async () => {
    bucket.kill('SIGSTOP')
    await pause(10_000)
    bucket.kill('SIGCONT')
  })
})
