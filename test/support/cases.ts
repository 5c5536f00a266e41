import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, it } from 'vitest'
import { parse } from 'yaml'
import { connectControl } from '../../src/client/control.ts'
import { createWorld } from '../../src/client/world.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import type { CoreOptions, World } from '../../src/core.ts'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { hasChromium } from '../e2e/chromium.ts'
import { createCoreOfTheWeb } from './bundled-core.ts'
import { closeChromium, coreInChromium } from './core-in-chromium.ts'
import { temporaryFolder } from './folder.ts'
import { overSocket } from './over-socket.ts'
import { hasWorkerd, startWorkerd, type Workerd } from './workerd.ts'

/** Steps in a sandbox of their own. */
interface Case<Step> {
  readonly name: string
  readonly options?: SandboxOptions
  /** Whether an answer is made by Prism. */
  readonly prism?: boolean
  /** Whether a target is not a valid URL, which a Worker cannot receive. */
  readonly rawTarget?: boolean
  readonly steps: readonly Step[]
}

interface Way {
  readonly way: string
  readonly socket: boolean
  readonly file: boolean
  /** Runs in the core without Node. */
  readonly core?: 'context' | 'Chromium' | 'workerd'
}

const WAYS: readonly Way[] = [
  { way: 'in process, in memory', socket: false, file: false },
  { way: 'in a context with web standards alone', socket: false, file: false, core: 'context' },
  ...(hasChromium
    ? [{ way: 'in a page of Chromium', socket: false, file: false, core: 'Chromium' } as const]
    : []),
  ...(hasWorkerd
    ? [{ way: 'in a Durable Object of workerd', socket: true, file: false, core: 'workerd' } as const]
    : []),
  { way: 'in process, on a file', socket: false, file: true },
  { way: 'over a socket, in memory', socket: true, file: false },
  { way: 'over a socket, on a file', socket: true, file: true },
]

const START = { now: '2026-11-19T12:34:56Z', freeze: true }

/**
 * Runs the steps of each case of a file: in process and over a socket, in memory and with a data file, in the core
 * alone, and in a Worker.
 */
export function runCases<Step>(
  file: URL,
  take: (world: World, fetch: SandboxFetch, steps: readonly Step[]) => Promise<void>,
): void {
  const groups: { group: string; cases: Case<Step>[] }[] = parse(readFileSync(file, 'utf8'))
  describe.each(WAYS)('$way', ({ socket, file, core }) => {
    const after: (() => unknown)[] = []
    let workerd: Workerd | undefined
    const storage = core === 'workerd' ? temporaryFolder() : ''
    afterAll(async () => {
      await closeChromium()
      await workerd?.close()
    })
    afterEach(async () => {
      for (const undo of after.splice(0).reverse()) await undo()
    })

    async function start(options: SandboxOptions): Promise<Sandbox> {
      const folder = file ? temporaryFolder() : undefined
      const sandbox = await createSandbox({
        ...START,
        log: 'silent',
        ...(socket ? { port: 0 } : { listen: false }),
        ...(folder && { db: join(folder, 'db.json') }),
        ...options,
      })
      after.push(() => sandbox.close())
      return sandbox
    }

    async function startCore(options: CoreOptions): Promise<SandboxFetch> {
      if (core === 'Chromium') return coreInChromium({ ...START, ...options })
      if (core === 'workerd') {
        const all = groups.flatMap(({ cases }) => cases.map((each) => ({ ...START, ...each.options })))
        workerd ??= await startWorkerd(all, storage)
        const fetch = workerd.at({ ...START, ...options })
        for (const name of ['default', 'w1', 'w2', 'w8']) await fetch(`/__empty/${name}`)
        return fetch
      }
      const started = await (await createCoreOfTheWeb())({ ...START, ...options })
      after.push(() => started.close())
      return started.fetch
    }

    describe.each(groups)('$group', ({ cases }) => {
      // Prism runs in Node only, and code of a page cannot set the header fields of CORS.
      const here = cases.filter(
        ({ prism, rawTarget, steps }) =>
          !(core && prism) &&
          !(core === 'workerd' && rawTarget) &&
          !(core === 'Chromium' && /"(origin|access-control-request-)/i.test(JSON.stringify(steps))),
      )
      it.each(here)('$name', async ({ options = {}, steps }) => {
        if (core) {
          const fetch = await startCore(options as CoreOptions)
          const client = connectControl({ url: 'http://localhost', namespace: 'default', fetch })
          return take(createWorld(client), fetch, steps)
        }
        const sandbox = await start(options)
        await take(sandbox, socket ? overSocket(sandbox.port) : sandbox.fetch, steps)
      })
    })
  })
}
