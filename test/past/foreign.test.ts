import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { replay } from '../../src/compose/replay.ts'
import { version } from '../../src/node/files/package.ts'
import { chance } from '../../src/time/chance.ts'
import { temporaryFolder } from '../node/store/folder.ts'

const golden = readFileSync(new URL(`../recordings/${version}.jsonl`, import.meta.url), 'utf8')
const draw = chance(1, 'mutants')
const below = (count: number) => Math.floor(draw() * count)

/** The value with one of its members, at any depth, replaced or removed. */
function mutated(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || (draw() < 0.15 && Object.keys(value).length > 0)) {
    return [null, 7, -1, 'x', [], {}, true, 1e308][below(8)]
  }
  const names = Object.keys(value)
  const name = names[below(names.length)]
  if (name === undefined) return 'x'
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value }
  if (draw() < 0.1) delete copy[name]
  else copy[name] = mutated(copy[name])
  return copy
}

it('a recording that was changed by hand replays, differs or is refused in words', {
  timeout: 120_000,
}, async () => {
  const lines = golden.trimEnd().split('\n')
  const file = join(temporaryFolder(), 'foreign.jsonl')
  let refused = 0
  for (let n = 0; n < 150; n++) {
    const at = n % 3 === 0 ? 0 : below(lines.length)
    const changed = JSON.stringify(mutated(JSON.parse(lines[at] as string)))
    // The first lines only: a mutant is about one line.
    writeFileSync(
      file,
      lines
        .slice(0, Math.max(30, at + 1))
        .with(at, changed)
        .join('\n'),
    )
    const told = await replay(file).catch((error: Error) => error)
    if (!(told instanceof Error)) continue
    refused++
    expect({ changed: changed.slice(0, 2000), name: told.name, told: told.message }).toMatchObject({
      name: expect.stringMatching(/^(RecordingError|UsageError|FixtureError|OverlayError)$/),
    })
    expect(told.message).not.toMatch(/undefined|is not a function|not iterable|Cannot read/)
  }
  expect(refused).toBeGreaterThan(10)
})
