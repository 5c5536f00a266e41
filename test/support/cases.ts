import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, it } from 'vitest'
import { parse } from 'yaml'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import type { SandboxFetch } from '../../src/web/fetch.ts'
import { overSocket } from './over-socket.ts'

/** Some steps in a sandbox of their own. */
interface Case<Step> {
  readonly name: string
  readonly options?: SandboxOptions
  readonly steps: readonly Step[]
}

const WAYS = [
  { way: 'in process, in memory', socket: false, file: false },
  { way: 'in process, on a file', socket: false, file: true },
  { way: 'over a socket, in memory', socket: true, file: false },
  { way: 'over a socket, on a file', socket: true, file: true },
]

/** Takes the steps of each case of a file: in process and over a socket, in memory and on a file. */
export function runCases<Step>(
  file: URL,
  take: (sandbox: Sandbox, fetch: SandboxFetch, steps: readonly Step[]) => Promise<void>,
): void {
  const groups: { group: string; cases: Case<Step>[] }[] = parse(readFileSync(file, 'utf8'))
  describe.each(WAYS)('$way', ({ socket, file }) => {
    const after: (() => unknown)[] = []
    afterEach(async () => {
      for (const undo of after.splice(0).reverse()) await undo()
    })

    async function start(options: SandboxOptions): Promise<Sandbox> {
      const folder = file ? mkdtempSync(join(tmpdir(), 'petstore-sandbox-')) : undefined
      if (folder) after.push(() => rmSync(folder, { recursive: true }))
      const sandbox = await createSandbox({
        now: '2026-11-19T12:34:56Z',
        freeze: true,
        log: 'silent',
        ...(socket ? { port: 0 } : { listen: false }),
        ...(folder && { db: join(folder, 'db.json') }),
        ...options,
      })
      after.push(() => sandbox.close())
      return sandbox
    }

    describe.each(groups)('$group', ({ cases }) => {
      it.each(cases)('$name', async ({ options = {}, steps }) => {
        const sandbox = await start(options)
        await take(sandbox, socket ? overSocket(sandbox.port) : sandbox.fetch, steps)
      })
    })
  })
}
