import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { overlaysShown } from '../support/overlays.ts'
import { iso, START } from './clock.ts'
import { runSteps } from './run.ts'
import { type Decisions, decisions } from './settings.ts'
import { type Step, step } from './steps.ts'

/** The total number of steps, unless the environment has another one. */
const STEPS = Number(process.env.PETSTORE_MODEL_STEPS ?? (process.env.PETSTORE_SOAK ? 1_000_000 : 6000))
const SEED = Number(process.env.PETSTORE_MODEL_SEED ?? 1)
const RUNS = 50

/** The overlay of the documentation with operations that change pets. */
const shown = overlaysShown().find(({ text }) => text.includes('x-sandbox'))
const folder = temporaryFolder()
const overlay = join(folder, 'overlay.yaml')
writeFileSync(overlay, shown?.text ?? '')

const sequence = fc.noBias(fc.array(step, { maxLength: 150, size: 'max' }))

async function check(given: Partial<Decisions>, changesPets: boolean, steps: readonly Step[]): Promise<void> {
  await using sandbox = await createSandbox({
    listen: false,
    log: 'silent',
    now: iso(START),
    freeze: true,
    decisions: { ...given },
    ...(changesPets && { overlay }),
  })
  await runSteps(given, steps, sandbox.fetch, changesPets)
}

test(`the sandbox has the same answers as the model over ${STEPS} steps`, async () => {
  let done = 0
  for (let seed = SEED; done < STEPS; seed++) {
    const property = fc.asyncProperty(
      decisions,
      fc.boolean(),
      sequence,
      async (given, changesPets, steps) => {
        done += steps.length
        await check(given, changesPets, steps)
      },
    )
    const details = await fc.check(property, { seed, numRuns: RUNS })
    const found = details.errorInstance as Error | null
    expect.soft(found?.message ?? '', `seed ${seed}, path ${details.counterexamplePath}`).toBe('')
    if (details.failed) break
  }
})
