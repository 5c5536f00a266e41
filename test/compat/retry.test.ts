import { expect, it } from 'vitest'
import { BIN } from '../support/program.ts'
import { here, runNode } from './run.ts'

const FLAGS = [
  '--fail-on',
  'early-retry',
  '--plan',
  'free',
  '--limits',
  'free=1/100',
  '--set',
  'ban.enabled=false',
]

const exec = (client: string) =>
  runNode([BIN, 'exec', ...FLAGS, '--', process.execPath, here(`clients/${client}.js`)], here('.'))

it.each(['got', 'ky', 'axios-retry', 'undici'])('%s waits for Retry-After', async (client) => {
  const { code, text } = await exec(client)
  expect(text).toContain('passed  early-retry')
  expect(code, text).toBe(0)
})

it('p-retry ignores Retry-After', async () => {
  const { code, text } = await exec('p-retry')
  expect(text).toMatch(/retried .* s before Retry-After had passed/)
  expect(code, text).toBe(3)
})
