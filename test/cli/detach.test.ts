import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { rotateLog } from '../../src/cli/detached.ts'
import { startOf } from '../../src/node/store/process-identity.ts'
import { BIN } from '../support/program.ts'
import { runCli } from './run-cli.ts'
import { folder, inFreshFolders, startProgram as start } from './spawn.ts'

inFreshFolders()

const stateFile = () => join(folder, '.petstore-sandbox/detached.json')

const ran = async (...args: string[]) => {
  const started = start(args)
  return { code: await started.ended, ...started.output }
}

describe('start --detach', () => {
  // Stops the sandbox of a failed test.
  afterEach(async () => {
    if (existsSync(stateFile())) await ran('stop')
  })

  it('exits with the ready line and leaves a sandbox running, which stop ends', async () => {
    const { code, out, err } = await ran('start', '--detach', '--port', '0', '--memory')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const baseUrl = /^petstore-sandbox is ready on (\S+)$/m.exec(out)?.[1]
    const answer = await fetch(`${baseUrl}/pets`, { headers: { authorization: 'Bearer psk_pro' } })
    expect(answer.status).toBe(200)
    // The line is written after the response.
    const log = () => readFileSync(join(folder, '.petstore-sandbox/sandbox.log'), 'utf8')
    await expect.poll(log).toContain('GET     /v1/pets')
    expect(readFileSync(join(folder, '.petstore-sandbox/.gitignore'), 'utf8')).toBe('*\n')

    const second = await ran('start', '--detach', '--port', '0', '--memory')
    expect(second).toMatchObject({ code: 2, out: '', err: expect.stringContaining('petstore-sandbox stop') })

    const stopped = await ran('stop')
    expect(stopped).toMatchObject({ code: 0, err: '' })
    expect(stopped.out).toContain(`Stopped the sandbox on ${baseUrl} (process `)
    await expect(fetch(`${baseUrl}/pets`)).rejects.toThrow()
    expect(existsSync(stateFile())).toBe(false)
    expect(await ran('stop')).toMatchObject({ code: 1, err: expect.stringContaining('in this folder') })
  })

  it('starts once if two are started at the same time', async () => {
    const start = () => ran('start', '--detach', '--port', '0', '--memory')
    const codes = (await Promise.all([start(), start()])).map(({ code }) => code)
    expect(codes.toSorted()).toEqual([0, 2])
    expect((await ran('stop')).code).toBe(0)
    expect((await ran('stop')).code).toBe(1)
  })

  it('prints the ready event with --json', async () => {
    const { code, out } = await ran('start', '--detach', '--json', '--port', '0', '--memory')
    expect(code).toBe(0)
    const event = JSON.parse(out)
    expect(event).toEqual({
      event: 'ready',
      baseUrl: expect.stringMatching(/\/v1$/),
      controlUrl: expect.stringMatching(/\/_sandbox$/),
      port: expect.any(Number),
      pid: JSON.parse(readFileSync(stateFile(), 'utf8')).pid,
    })
    expect((await fetch(`${event.controlUrl}/health`)).status).toBe(200)
  })

  it('prints a sentence if its folder cannot be created', async () => {
    writeFileSync(join(folder, '.petstore-sandbox'), '')
    const { code, err } = await ran('start', '--detach', '--port', '0', '--memory')
    expect(code).toBe(2)
    expect(err).toContain('sandbox.log cannot be used: not a directory (ENOTDIR). Use another file or folder')
  })

  it('leaves no state file if it is interrupted before it is ready', async () => {
    mkdirSync(join(folder, '.petstore-sandbox'))
    const child = spawn(process.execPath, [BIN, 'start', '--port', '0', '--memory'], {
      cwd: folder,
      env: { ...process.env, PETSTORE_SANDBOX_DETACHED: '1' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    child.disconnect()
    let err = ''
    child.stderr?.on('data', (text) => {
      err += text
    })
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(err).toBe('')
    expect(existsSync(stateFile())).toBe(false)
  })

  it('prints the error and has the exit code of start if the start fails', async () => {
    const { code, out, err } = await ran('start', '--detach', '--memory', '--fixture', 'nope')
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('"nope" is not a built-in fixture')
    expect(existsSync(stateFile())).toBe(false)
  })
})

it('the log stays below 10 MiB, even if much is written in one turn, and keeps the last lines', () => {
  const log = join(folder, 'sandbox.log')
  const fd = openSync(log, 'a')
  const streams = [1, 2].map(() => ({
    write: (chunk: string | Uint8Array) => writeSync(fd, String(chunk)) > 0,
  }))
  rotateLog(log, fd, streams)
  const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0)
  const text = 'x'.repeat(4096)
  for (let i = 0; i < 6000; i++) streams[i % 2]?.write(`${i} ${text}\n`)
  expect(sizeOf(log) + sizeOf(`${log}.1`)).toBeLessThan(10 * 1024 * 1024)
  expect(sizeOf(`${log}.1`)).toBeGreaterThan(0)
  expect(readFileSync(log, 'utf8')).toContain('\n5999 ')
})

it('the log continues if the former one cannot be kept', () => {
  const log = join(folder, 'sandbox.log')
  mkdirSync(`${log}.1`)
  const fd = openSync(log, 'a')
  const stream = { write: (chunk: string | Uint8Array) => writeSync(fd, String(chunk)) > 0 }
  rotateLog(log, fd, [stream])
  for (let i = 0; i < 6000; i++) stream.write(`${i} ${'x'.repeat(4096)}\n`)
  expect(statSync(log).size).toBeLessThan(5 * 1024 * 1024)
  expect(readFileSync(log, 'utf8')).toContain('\n5999 ')
})

it('stop does not end another process that has the pid of a former sandbox', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  mkdirSync(join(folder, '.petstore-sandbox'))
  const former = {
    pid: other.pid,
    at: '2020-01-01T00:00:00Z',
    start: 'another boot/1',
    baseUrl: 'http://localhost:1/v1',
  }
  writeFileSync(stateFile(), JSON.stringify(former))
  expect(await ran('stop')).toMatchObject({ code: 1, err: expect.stringContaining('in this folder') })
  expect(other.exitCode).toBeNull()
  expect(other.signalCode).toBeNull()
  other.kill('SIGKILL')
})

it('stop reports a sandbox as stopped that ends just before the signal', async () => {
  await ran('start', '--detach', '--port', '0', '--memory')
  const { pid, baseUrl } = JSON.parse(readFileSync(stateFile(), 'utf8'))
  const kill = vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    kill.mockRestore()
    process.kill(pid, 'SIGKILL')
    while (startOf(pid) !== undefined && startOf(pid) !== 'ended');
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' })
  })
  const stopped = await runCli(['stop'], {}, folder)
  expect(stopped).toEqual({ code: 0, out: `Stopped the sandbox on ${baseUrl} (process ${pid}).\n`, err: '' })
  expect(existsSync(stateFile())).toBe(false)
})

it('stop says that another user started the sandbox', async () => {
  await ran('start', '--detach', '--port', '0', '--memory')
  const { pid, baseUrl } = JSON.parse(readFileSync(stateFile(), 'utf8'))
  const kill = vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    kill.mockRestore()
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  })
  expect(await runCli(['stop'], {}, folder)).toEqual({
    code: 1,
    out: '',
    err: `petstore-sandbox: There is no permission to end the sandbox on ${baseUrl} (process ${pid}). Call stop as the user who started it\n`,
  })
  expect((await ran('stop')).code).toBe(0)
})

it('stop kills a sandbox that does not end by itself', async () => {
  const { code } = await ran('start', '--detach', '--port', '0', '--memory')
  expect(code).toBe(0)
  const { pid } = JSON.parse(readFileSync(stateFile(), 'utf8'))
  // A stopped process receives SIGTERM only when it continues.
  process.kill(pid, 'SIGSTOP')
  const stopped = await ran('stop', '--json')
  expect(JSON.parse(stopped.out)).toMatchObject({ stopped: true, pid, forced: true })
  expect(existsSync(stateFile())).toBe(false)
})

describe('stop ends only a sandbox of this folder', () => {
  it.each([
    ['no start', { at: '2026-11-19T12:00:00.000Z' }],
    ['its time in the future', { at: '2999-01-01T00:00:00.000Z' }],
    ['another start', { at: new Date().toISOString(), start: 'b5d5f4a2-0000-0000-0000-000000000000/1' }],
  ])('a file with %s is ignored', async (_, members) => {
    const foreign = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
    try {
      mkdirSync(join(folder, '.petstore-sandbox'))
      writeFileSync(
        stateFile(),
        JSON.stringify({ pid: foreign.pid, baseUrl: 'http://localhost:1/v1', ...members }),
      )
      expect(await ran('stop')).toMatchObject({ code: 1, err: expect.stringContaining('in this folder') })
      expect([foreign.exitCode, foreign.signalCode]).toEqual([null, null])
    } finally {
      foreign.kill()
    }
  })
})
