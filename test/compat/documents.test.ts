import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { overlaysShown } from '../support/overlays.ts'
import { type Program, start, stopAll } from '../support/program.ts'
import { here, runNode } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'petstore-compat-'))
const overlay = join(folder, 'overlay.json')
writeFileSync(
  overlay,
  JSON.stringify({
    overlay: '1.0.0',
    info: { title: 'A description of its own', version: '1.0.0' },
    actions: [{ target: '$.info', update: { title: 'Our Store', 'x-owner': 'team-pets' } }],
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

const overlays = overlaysShown().map(({ name, text }, i): [string, string[]] => {
  const file = join(folder, `overlay-${i}.yaml`)
  writeFileSync(file, text)
  return [`with the overlay of ${name}`, ['--overlay', file]]
})

const set = (...decisions: string[]): string[] => decisions.flatMap((decision) => ['--set', decision])

/** Lints files with Spectral, which fails at findings of this severity. */
const spectral = (severity: string, files: readonly string[]) =>
  runNode(
    [
      here('node_modules/@stoplight/spectral-cli/dist/index.js'),
      ...['lint', '--ruleset', here('oas.spectral.yaml'), '--fail-severity', severity, ...files],
    ],
    folder,
  )

/** Options that change the served document. */
const SWITCHES: Record<string, string[]> = {
  'by default': [],
  'with the orders mocked': set('orders=mock'),
  strict: ['--strict', ...set('create.blankName=reject', 'get.invalidId=400', 'ban.status=403')],
  lenient: set('list.limit=clamp', 'list.status=ignore', 'create.status=available', 'list.order=newest'),
  'after the removal': ['--now', '2031-01-01T00:00:00Z'],
  'after the removal, served': ['--now', '2031-01-01T00:00:00Z', ...set('get.afterRemoval=serve')],
  'with an overlay': ['--overlay', overlay],
}

describe.each(Object.entries(SWITCHES))('the served document, %s', (_, flags) => {
  let sandbox: Program
  let url: string
  beforeAll(async () => {
    sandbox = await start(['--port', '0', '--memory', ...flags])
    url = `${sandbox.origin}/openapi.json`
  })
  afterAll(stopAll)

  it('becomes a collection of Portman that passes in newman', async () => {
    const portman = here('node_modules/@apideck/portman/bin/portman')
    const collection = join(folder, 'collection.json')
    const settings = ['--portmanConfigFile', here('portman.json'), '--output', collection, '--runNewman']
    const { code, text } = await runNode([portman, '--url', url, ...settings], folder)
    expect(text).toMatch(/assertions │ +\d\d │ +0 │/)
    expect(code, text).toBe(0)
  })

  it('has a workflow that Redocly runs', async () => {
    writeFileSync(join(folder, 'openapi.json'), await (await fetch(url)).text())
    copyFileSync(here('store.arazzo.yaml'), join(folder, 'store.arazzo.yaml'))
    const redocly = here('node_modules/@redocly/cli/bin/cli.js')
    const { code, text } = await runNode([redocly, 'respect', 'store.arazzo.yaml'], folder)
    expect(code, text).toBe(0)
  })
})

describe('the served document, with each of these and with each overlay shown', () => {
  const files: string[] = []
  beforeAll(async () => {
    for (const [name, flags] of [...Object.entries(SWITCHES), ...overlays]) {
      const { origin, stop } = await start(['--port', '0', '--memory', ...flags])
      const file = join(folder, `${name.replace(/\W+/g, '-')}.json`)
      writeFileSync(file, await (await fetch(`${origin}/openapi.json`)).text())
      files.push(file)
      await stop()
    }
  })
  afterAll(stopAll)

  it('is valid for swagger-parser and for the parser of ReadMe', async () => {
    const { code, text } = await runNode([here('clients/validate.js'), ...files], folder)
    expect(code, text).toBe(0)
  })

  it('has no error in Redocly', async () => {
    const { code, text } = await runNode(
      [here('node_modules/@redocly/cli/bin/cli.js'), 'lint', ...files],
      folder,
    )
    expect(code, text).toBe(0)
    for (const file of files) expect(text).toContain(basename(file))
  })

  it('has no error in Spectral', async () => {
    const { code, text } = await spectral('error', files)
    expect(code, text).toBe(0)
  })
})

describe('the document of the control API', () => {
  afterAll(stopAll)

  it('has no warning in Spectral', async () => {
    const { origin } = await start(['--port', '0', '--memory'])
    const file = join(folder, 'control.json')
    writeFileSync(file, await (await fetch(`${origin}/_sandbox/openapi.json`)).text())
    const { code, text } = await spectral('warn', [file])
    expect(code, text).toBe(0)
  })
})
