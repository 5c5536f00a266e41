import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openReplay } from '../../src/compose/replay.ts'
import { VERSION } from '../../src/contract/version.ts'
import { diffRecordings, recordingEnd } from '../../src/tools/replay/compared.ts'
import { temporaryFolder } from '../support/folder.ts'
import { Dice } from './dice.ts'

const MUTANTS = Number(process.env.PETSTORE_FUZZ_RECORDINGS ?? (process.env.PETSTORE_SOAK ? 5000 : 150))
const SEED = Number(process.env.PETSTORE_FUZZ_SEED ?? 1)

const original = fileURLToPath(new URL(`../recordings/${VERSION}.jsonl`, import.meta.url))
const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')
const dice = new Dice(SEED)

const VALUES = [null, 7, -1, 0.5, 'x', '', [], {}, true, 1e308, -1e15, 9e15, [null], { key: null }]

/** A copy with one member, at any depth, replaced or removed. */
function mutated(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || (dice.once(7) && Object.keys(value).length > 0))
    return dice.pick(VALUES)
  const names = Object.keys(value)
  if (names.length === 0) return Array.isArray(value) ? [dice.pick(VALUES)] : { x: dice.pick(VALUES) }
  const name = dice.pick(names)
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value }
  if (dice.once(10)) delete copy[name]
  else copy[name] = mutated(copy[name])
  return copy
}

/** Changes one line in one place. Half of the changes are in the first line, which decides most of a recording. */
function mutant(lines: readonly string[]): { readonly text: string; readonly changed: string } {
  const at = dice.once(2) ? 0 : dice.below(lines.length)
  const line = lines[at] as string
  const changed = dice.once(20)
    ? line.slice(0, dice.below(line.length))
    : JSON.stringify(mutated(JSON.parse(line)))
  const rest = lines.slice(0, Math.max(30, at + 1))
  return { text: rest.with(at, changed).join('\n'), changed }
}

it('a recording that was changed by hand replays, differs or is refused with a message', async () => {
  const file = join(temporaryFolder(), 'foreign.jsonl')
  // A recording that begins at the end of the other one has a first line with a journal, limits and faults.
  const continued = join(temporaryFolder(), 'continued.jsonl')
  const { sandbox } = await openReplay(original, {}, { listen: false, record: continued })
  await sandbox.fetch(new Request('http://localhost/v1/pets'))
  await sandbox.close()
  await using _valid = await recordingEnd(await openReplay(continued, {}, { listen: false }))
  const bases = [linesOf(original), linesOf(continued)]
  await using end = await recordingEnd(await openReplay(original, {}, { listen: false }))
  const uses: readonly (() => Promise<unknown>)[] = [
    // As createSandbox({ recording }) and the command replay do it.
    async () => (await openReplay(file, {}, { listen: false })).sandbox.close(),
    async () => {
      await using other = await recordingEnd(await openReplay(file, {}, { listen: false }))
      await diffRecordings([other, end], { namespace: 'default', only: false })
    },
  ]
  let refused = 0
  for (let n = 0; n < MUTANTS; n++) {
    const { text, changed } = mutant(dice.pick(bases))
    writeFileSync(file, text)
    const failure = await dice
      .pick(uses)()
      .catch((error: unknown) => error)
    if (failure === undefined) continue
    refused++
    const error = failure as Error
    // Errors for which the command line exits with 2.
    expect({ n, name: error.name, failure: error.stack, changed: changed.slice(0, 2000) }).toMatchObject({
      name: expect.stringMatching(/^(RecordingError|UsageError|FixtureError|OverlayError)$/),
    })
    expect(error.message).not.toMatch(/undefined|is not a function|not iterable|Cannot read|Invalid time/)
  }
  expect(refused).toBeGreaterThan(MUTANTS / 20)
})
