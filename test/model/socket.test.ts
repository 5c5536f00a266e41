import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { overSocket } from '../support/over-socket.ts'
import { iso, START } from './clock.ts'
import { runSteps } from './run.ts'
import { decisions } from './settings.ts'
import { type Step, step } from './steps.ts'

const RUNS = 15

/** Without steps that a socket refuses or normalises, which have their own tests. */
const isForSocket = (each: Step): boolean =>
  each.do !== 'send' || !(each.method === 'OPTIONS' || each.body?.is === 'large')

const sequence = fc.noBias(fc.array(step.filter(isForSocket), { maxLength: 80, size: 'max' }))

test('over a socket, the sandbox has the same answers as the model', async () => {
  const property = fc.asyncProperty(decisions, sequence, async (given, steps) => {
    await using sandbox = await createSandbox({
      port: 0,
      log: 'silent',
      now: iso(START),
      freeze: true,
      decisions: { ...given },
    })
    await runSteps(given, steps, overSocket(sandbox.port))
  })
  const { errorInstance } = await fc.check(property, { seed: 1, numRuns: RUNS })
  expect((errorInstance as Error | null)?.message ?? '').toBe('')
})
