import { expect, it } from 'vitest'
import { explainListenError } from '../../src/cli/startup.ts'
import { UsageError } from '../../src/config/usage-error.ts'

const denied = (facts: object) => Object.assign(new Error('permission denied'), { code: 'EACCES', ...facts })

it('a port without permission and a file without permission have different messages', async () => {
  expect(await explainListenError(denied({ syscall: 'listen' }), 'localhost', 80)).toBeInstanceOf(UsageError)
  const ofFile = denied({ syscall: 'open', path: '/etc/run.jsonl' })
  expect(await explainListenError(ofFile, 'localhost', 0)).toBe(ofFile)
})
