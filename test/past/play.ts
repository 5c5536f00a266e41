import { vi } from 'vitest'
import { openSandbox } from '../../src/compose/open-sandbox.ts'
import type { Sandbox } from '../../src/compose/sandbox.ts'
import type { SandboxOptions } from '../../src/config/options.ts'
import type { Internals } from '../../src/past/internals.ts'
import { chance } from '../../src/time/chance.ts'
import { BUILT_IN_KEYS } from '../../src/world/keys/built-in-keys.ts'
import { SECRET_KEY, type Sent, SPACES } from './commands.ts'

// In Node 20, `require` of a module that is being imported fails, as with Prism and the pet generator here.
await import('../../src/prism/mocker.ts')
await import('../../src/prism/validator.ts')

/** The number of parallel requests, like those of a client with several connections. */
const AT_ONCE = 4

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A sandbox with the fake clock of this test. */
export async function openPlayed(
  options: SandboxOptions,
): Promise<{ readonly sandbox: Sandbox; readonly internals: Internals }> {
  let found: Internals | undefined
  const sandbox = await openSandbox(
    { listen: false, log: 'silent', ...options },
    {
      beforeServing: (internals) => {
        found = internals
      },
    },
  )
  return { sandbox, internals: found as Internals }
}

/**
 * Sends the requests, several at a time. Time passes between them, and is sometimes set back; while all of them are held
 * or delayed, it advances until one is not.
 */
export async function play(
  { handle, timeline }: Internals,
  requests: readonly Sent[],
  seed: number,
): Promise<void> {
  const draw = chance(seed, 'time')
  const rest = [...requests].reverse()
  let done = 0
  const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)
  const worker = async () => {
    for (let next = rest.pop(); next; next = rest.pop()) {
      const kind = draw()
      pass(
        kind < 0.9
          ? Math.floor(draw() * 50)
          : kind < 0.99
            ? Math.floor(draw() * 20_000)
            : -Math.floor(draw() * 3000),
      )
      await send(handle, next)
      done++
    }
  }
  let isOver = false
  const workers = Promise.all(Array.from({ length: AT_ONCE }, worker)).finally(() => {
    isOver = true
  })
  while (!isOver) {
    const before = done
    for (let turns = 0; turns < 20 && done === before && !isOver; turns++) await turn()
    if (done > before || isOver) continue
    pass(250)
    await timeline.advance(Date.now())
  }
  await workers
}

async function send(handle: Internals['handle'], { path, init }: Sent): Promise<void> {
  const { slices, onSent } = await handle({
    method: init.method,
    target: path,
    headers: Object.entries(init.headers).flat(),
    body: init.body === undefined ? undefined : Buffer.from(init.body),
    tooLarge: false,
    address: undefined,
  })
  if (slices) for await (const _ of slices);
  // On a connection, the answer is sent after other requests have arrived.
  if (onSent) setTimeout(onSent, 2)
}

const READS = ['/export', '/keys', '/faults', '/clock', '/report', '/requests', '/history', '/holds']
const KEYS = [...Object.keys(BUILT_IN_KEYS), SECRET_KEY]

/** Requests for the visible state of the namespaces; the replies to them are recorded too. */
export const finalReads = (spaces: readonly string[] = SPACES): Sent[] =>
  ['/namespaces', ...READS, ...KEYS.map((key) => `/keys/${key}/limits`)].flatMap((path) =>
    (path === '/namespaces' ? ['default'] : spaces).map((space) => ({
      path: `/_sandbox${path}?namespace=${space}`,
      init: { method: 'GET', headers: { host: 'localhost:4010' } },
    })),
  )
