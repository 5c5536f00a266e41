import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash, contentOf, logsIn } from './folder.ts'
import { create, type Model, type Plain, remove, replace, tableOfSize, update } from './model.ts'
import { type Opened, open } from './opened.ts'

const MUTANTS = process.env.PETSTORE_SOAK ? 5000 : 300

type Chance = (below: number) => number

/** Reproducible random numbers (mulberry32). */
function chanceOf(seed: number): Chance {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** A data file with its log after a crash, and the state after each change in the log. */
async function history(): Promise<{ folder: string; states: Plain[] }> {
  const folder = temporaryFolder()
  const first = await open(join(folder, 'db.json'))
  await first.change(replace(tableOfSize(5), 'default', [{ key: 'psk_mine', plan: 'pro', issued: true }]))
  await first.change(create(1, { namespace: 'w1' }))
  await first.store.close(10_000)
  const second = await open(join(folder, 'db.json'))
  const states = await changes(second)
  return { folder: asAfterCrash(folder), states }
}

async function changes({ model, change }: Opened): Promise<Plain[]> {
  const states = [copyOf(model)]
  for (let id = 6; id <= 15; id++) {
    await change(create(id))
    states.push(copyOf(model))
  }
  await change(replace(tableOfSize(3), 'w2'))
  for (const next of [update(7, 'Kit'), remove(8), { op: 'drop', namespace: 'w1' } as const]) {
    states.push(copyOf(model))
    await change(next)
  }
  states.push(copyOf(model))
  return states
}

const copyOf = (model: Model): Plain => model.stored()

type Mutation = (bytes: Buffer, chance: Chance) => Buffer

const linesOf = (bytes: Buffer): string[] => bytes.toString().split(/(?<=\n)/)

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a bit flipped': (bytes, chance) => {
    const at = chance(bytes.length)
    bytes[at] = (bytes[at] as number) ^ (1 << chance(8))
    return bytes
  },
  'a part cut out': (bytes, chance) => {
    const at = chance(bytes.length - 1)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + chance(40))])
  },
  'the end cut off': (bytes, chance) => {
    const end = 1 + chance(bytes.length - 1)
    // A cut at the end of a line would be a valid earlier log.
    return bytes.subarray(0, bytes[end - 1] === 10 ? end - 1 : end)
  },
  'two lines swapped': (bytes, chance) => {
    const lines = linesOf(bytes)
    const [a, b] = [chance(lines.length), chance(lines.length)]
    ;[lines[a], lines[b]] = [lines[b] as string, lines[a] as string]
    return Buffer.from(lines.join(''))
  },
  'a line twice': (bytes, chance) => {
    const lines = linesOf(bytes)
    const at = chance(lines.length)
    return Buffer.from(lines.toSpliced(at, 0, lines[at] as string).join(''))
  },
}

test(`${MUTANTS} damaged files: the start finds all acknowledged changes, or is refused and changes nothing`, async () => {
  const { folder, states } = await history()
  const chance = chanceOf(20_261_119)
  const names = Object.keys(MUTATIONS)
  const counts = { found: 0, torn: 0, refused: 0 }
  for (let mutant = 0; mutant < MUTANTS; mutant++) {
    const copy = asAfterCrash(folder)
    const log = logsIn(copy)[0] as string
    const target = join(copy, chance(3) === 0 ? 'db.json' : log)
    const name = names[chance(names.length)] as string
    const original = fs.readFileSync(target)
    const mutated = (MUTATIONS[name] as Mutation)(Buffer.from(original), chance)
    fs.writeFileSync(target, mutated)
    const what = `mutant ${mutant}: ${name} in ${target}`
    const before = contentOf(copy)
    const opened = await open(join(copy, 'db.json')).catch((error: Error) => error)
    if (opened instanceof Error) {
      expect(opened, what).toMatchObject({ name: 'DataFileError' })
      expect(opened.message, what).toContain(join(copy, 'db.json'))
      expect(contentOf(copy), what).toEqual(before)
      counts.refused++
    } else if (opened.warnings.some((warning) => warning.includes('was cut off'))) {
      expect(target, what).toBe(join(copy, log))
      expect(states, what).toContainEqual(opened.found)
      expect(original.subarray(0, mutated.length).equals(mutated), what).toBe(true)
      counts.torn++
    } else {
      expect(opened.found, what).toEqual(states.at(-1))
      counts.found++
    }
    if (!(opened instanceof Error)) await opened.store.close(0)
    fs.rmSync(copy, { recursive: true })
  }
  expect(counts.refused).toBeGreaterThan(MUTANTS / 2)
  expect(counts.torn).toBeGreaterThan(0)
})

test('the log of another data file is refused, even with matching sequence numbers', async () => {
  const [mine, other] = [await history(), await history()]
  const copy = asAfterCrash(mine.folder)
  const log = logsIn(copy)[0] as string
  fs.copyFileSync(join(other.folder, log), join(copy, log))
  const before = contentOf(copy)
  await expect(open(join(copy, 'db.json'))).rejects.toMatchObject({
    file: join(copy, log),
    line: 1,
    reason: expect.stringContaining('does not belong to'),
  })
  expect(contentOf(copy)).toEqual(before)
})

test('the log of a copy with other changes is refused', async () => {
  const folder = asAfterCrash((await history()).folder)
  const copy = asAfterCrash(folder)
  const mine = await open(join(folder, 'db.json'))
  await mine.change(create(16))
  await mine.store.close(10_000)
  const theirs = await open(join(copy, 'db.json'))
  await theirs.change(create(17))
  await theirs.change(create(18))
  for (const log of logsIn(copy)) fs.copyFileSync(join(copy, log), join(folder, log))
  const before = contentOf(folder)
  await expect(open(join(folder, 'db.json'))).rejects.toThrow('does not belong to')
  expect(contentOf(folder)).toEqual(before)
})
