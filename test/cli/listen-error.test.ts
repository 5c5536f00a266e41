import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { explainListenError } from '../../src/cli/startup.ts'
import { UsageError } from '../../src/config/usage-error.ts'

const denied = (facts: object) => Object.assign(new Error('permission denied'), { code: 'EACCES', ...facts })

it('a port without permission and a file without permission have different messages', async () => {
  expect(await explainListenError(denied({ syscall: 'listen' }), 'localhost', 80)).toBeInstanceOf(UsageError)
  const ofFile = denied({ syscall: 'open', path: '/etc/run.jsonl' })
  expect(await explainListenError(ofFile, 'localhost', 0)).toBe(ofFile)
})

it('the advice for a port without permission is another port, since Windows reserves some of all', async () => {
  expect(await explainListenError(denied({ syscall: 'listen' }), 'localhost', 4010)).toMatchObject({
    fix: 'Use another port from 1024 on: --port 0 takes any free one',
  })
})

it('an address without its zone, or of a family that the machine does not have, is none of this machine', async () => {
  for (const code of ['EINVAL', 'EAFNOSUPPORT'])
    expect(await explainListenError({ code, syscall: 'listen' }, 'fe80::1', 0)).toMatchObject({
      problem: `--host: "fe80::1" is not an address of this machine (${code})`,
    })
  const ofFile = { code: 'EINVAL', syscall: 'open', path: '/run.jsonl' }
  expect(await explainListenError(ofFile, 'fe80::1', 0)).toBe(ofFile)
})

afterEach(() => vi.unstubAllGlobals())

it('names a command of the system that finds the program on the port', async () => {
  const server = createServer((_, response) => response.end('another program')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const problem = async (platform: string) => {
    vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }))
    return String(await explainListenError({ code: 'EADDRINUSE' }, '127.0.0.1', port))
  }
  expect(await problem('linux')).toContain(`(find it with lsof -i :${port})`)
  expect(await problem('win32')).toContain(`(find it with netstat -ano | findstr :${port})`)
  server.close().closeAllConnections()
})
