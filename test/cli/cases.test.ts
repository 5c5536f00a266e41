import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runCli } from './run-cli.ts'

interface Step {
  readonly run?: string
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  readonly code?: number
  /** The whole stdout. */
  readonly out?: string
  /** A part of stdout, and of stderr: a text, or a regular expression between slashes. */
  readonly has?: string
  readonly json?: unknown
  readonly hasErr?: string
  /** A client request instead of a command: its method and path. */
  readonly send?: string
  readonly key?: string
  readonly status?: number
}

interface Case {
  readonly name: string
  readonly options?: SandboxOptions
  readonly files?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

interface Group {
  readonly group: string
  /** Runs without a sandbox, so that a command that calls one exits with 1. */
  readonly alone?: true
  readonly cases: readonly Case[]
}

const groups: Group[] = parse(readFileSync(new URL('cases.yaml', import.meta.url), 'utf8'))

let sandbox: Sandbox | undefined
afterEach(() => sandbox?.close())

/** Splits a command line into words as a shell does. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

const pattern = (text: string): string | RegExp =>
  /^\/.*\/$/s.test(text) ? new RegExp(text.slice(1, -1), 'm') : text

async function take(step: Step, folder: string): Promise<void> {
  if (step.send !== undefined) {
    const [method = '', path = ''] = step.send.split(' ')
    const headers = { authorization: `Bearer ${step.key ?? 'psk_free'}` }
    const { status } = await fetch(`${sandbox?.baseUrl}${path}`, { method, headers })
    return expect(status).toBe(step.status ?? 200)
  }
  const { run = '', env, input, code = 0, out, has, json, hasErr } = step
  const url = sandbox?.baseUrl ?? 'http://127.0.0.1:2'
  const words = wordsOf(run).map((word) => word.replaceAll('$URL', url).replaceAll('$HERE', folder))
  const given = await runCli(words, { PETSTORE_SANDBOX_URL: url, ...env }, folder, input)
  const here = (text: string): string => text.replaceAll(`${folder}/`, '')
  const ran = { code: given.code, out: here(given.out), err: here(given.err) }
  expect({ code: ran.code, err: hasErr === undefined ? ran.err : '' }, ran.err).toEqual({ code, err: '' })
  if (out !== undefined) expect(ran.out).toBe(out)
  else if (code !== 0) expect(ran.out).toBe('')
  if (has !== undefined) expect(ran.out).toMatch(pattern(has))
  if (json !== undefined) expect(JSON.parse(ran.out)).toMatchObject(json as object)
  if (hasErr !== undefined) expect(ran.err).toMatch(pattern(hasErr))
  // An error is one line, except for the problems of a file.
  if (code === 2 && !/\n.*:\d+: /.test(ran.err)) expect(ran.err.trimEnd()).not.toContain('\n')
}

describe.each(groups)('$group', ({ cases, alone }) => {
  it.each(cases)('$name', async ({ options, files = {}, steps }) => {
    const folder = temporaryFolder()
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const start = { now: '2026-11-19T12:34:56Z', freeze: true, port: 0 }
    sandbox = alone ? undefined : await createSandbox({ ...start, ...options })
    for (const [i, step] of steps.entries()) {
      try {
        await take(step, folder)
      } catch (error) {
        throw new Error(`step ${i + 1}, ${step.run ?? step.send}: ${(error as Error).message}`, {
          cause: error,
        })
      }
    }
  })
})
