import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { folder, inFreshFolders, startProgram as start } from './spawn.ts'

inFreshFolders()

const stateFile = () => join(folder, '.petstore-sandbox/detached.json')

const ran = async (...args: string[]) => {
  const started = start(args)
  return { code: await started.ended, ...started.output }
}

describe('start --detach', () => {
  // Whatever a test fails at, nothing stays.
  afterEach(async () => {
    if (existsSync(stateFile())) await ran('stop')
  })

  it('exits with the ready line and leaves a sandbox, which stop ends', async () => {
    const { code, out, err } = await ran('start', '--detach', '--port', '0', '--memory')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const baseUrl = /^petstore-sandbox is ready on (\S+)$/m.exec(out)?.[1]
    const answer = await fetch(`${baseUrl}/pets`, { headers: { authorization: 'Bearer psk_pro' } })
    expect(answer.status).toBe(200)
    const log = readFileSync(join(folder, '.petstore-sandbox/sandbox.log'), 'utf8')
    expect(log).toContain('GET     /v1/pets')
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

  it('that cannot start says why and has the exit code of start', async () => {
    const { code, out, err } = await ran('start', '--detach', '--memory', '--fixture', 'nope')
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('there is no fixture "nope"')
    expect(existsSync(stateFile())).toBe(false)
  })
})
