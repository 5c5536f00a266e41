import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { KEY, startFaultyService } from '../tools/conformance/faulty-service.ts'
import { withOverlay } from '../tools/conformance/overlay.ts'
import { runCli } from './run-cli.ts'

const contract = (args: string[], env = {}, cwd?: string) => runCli(['contract', ...args], env, cwd)

describe('contract', () => {
  it('prints one line for each check, and exits with 0 if all passed', async () => {
    await using service = await startFaultyService()
    const { code, out, err } = await contract([service.baseUrl, '--key', KEY])
    expect(out).toContain('✓ §5, 7      a missing key is 401 on listPets\n')
    expect(out).not.toContain('createPet answers 201')
    expect(out).toMatch(
      /\n\n\d+ checks: \d+ passed, 0 failed, \d+ skipped, \d+ observed; \d+ requests\n\d+ checks need --allow-writes, 4 --exhaust-limits\n$/,
    )
    expect(out).toContain(
      'not specified by the interface; observed: status 400 (e400) for GET /pets?limit=0\n',
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it('exits with 3 if a check failed, and prints the received response', async () => {
    await using service = await startFaultyService({ defect: 'no-limits-on-errors' })
    const { code, out } = await contract([service.baseUrl], { PETSTORE_API_KEY: KEY })
    expect(code).toBe(3)
    expect(out).toContain(`✗ §8         every error carries X-RateLimit-Limit, -Remaining and -Reset
             GET /pets/7310245918034625917
               received   404 with no X-RateLimit-Limit
               expected   X-RateLimit-Limit, a whole number, on every response
`)
    expect(out).toMatch(/… and \d+ more\n/)
  })

  it('writes reports, and creates their folders', async () => {
    await using service = await startFaultyService({ defect: 'missing-key-200' })
    const folder = temporaryFolder()
    const reports = ['junit=ci/a.xml', 'json=a.json', 'markdown=a.md'].flatMap((file) => ['--report', file])
    const { code, out } = await contract([service.baseUrl, '--key', KEY, '--json', ...reports], {}, folder)
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    expect(code).toBe(3)
    expect(read('a.json')).toBe(out)
    expect(JSON.parse(out)).toMatchObject({
      baseUrl: service.baseUrl,
      counts: { failed: 2 },
      unchecked: null,
    })
    expect(read('ci/a.xml')).toMatch(/<testsuite name="contract http.*failures="2" errors="0"/)
    expect(read('ci/a.xml')).toContain('name="§5, 7 a missing key is 401 on listPets"')
    expect(read('a.md')).toContain(
      '## §5, 7 a missing key is 401 on listPets\n\n| Request | Received | Expected |',
    )
  })

  it('checks the fields of an overlay', async () => {
    await using service = await startFaultyService()
    const chip = { required: ['chip'], properties: { chip: { type: 'integer', format: 'int64' } } }
    const overlay = withOverlay({ Pet: chip, NewPet: chip })
    const args = [service.baseUrl, '--key', KEY, '--allow-writes', '--overlay', overlay]
    const { code, out } = await contract(args)
    expect(code).toBe(3)
    expect(out).toContain('✗ §4.2, 7    createPet with a body without chip is 400\n')
  })

  it('names a field of an overlay for which no pet can be generated', async () => {
    const code = { type: 'string', pattern: '^(?=x)y$' }
    const overlay = withOverlay({ NewPet: { required: ['code'], properties: { code } } })
    const { code: exit, err } = await contract(['http://localhost/v1', '--overlay', overlay])
    expect(exit).toBe(1)
    expect(err).toContain('No pet can be generated that fits the contract: code must match pattern')
  })

  it.each([
    ['nothing', 1],
    ['only a part', 9],
  ])('exits with 1 if %s could be checked, after the reports are written', async (_, first) => {
    const body = '{"code":"e","message":"m","status":429}'
    const refused = { status: 429, body, headers: { 'Retry-After': '600' } }
    const instead = (__: unknown, number: number) => (number >= first ? refused : undefined)
    await using service = await startFaultyService({ instead })
    const folder = temporaryFolder()
    const args = [service.baseUrl, '--key', KEY, '--report', 'junit=a.xml']
    const { code, err } = await contract(args, {}, folder)
    expect(code).toBe(1)
    expect(err).toMatch(/Not all checks were possible: GET \/pets.* was answered with 429/)
    expect(readFileSync(join(folder, 'a.xml'), 'utf8')).toContain('failures="0"')
  })

  it('exits with 1 if the service is unreachable', async () => {
    const service = await startFaultyService()
    await service[Symbol.asyncDispose]()
    const { code, err } = await contract([service.baseUrl])
    expect(code).toBe(1)
    expect(err).toContain(`${service.baseUrl} did not answer: connection refused: no service listens there.`)
  })

  it('exits with 1 at a port that fetch refuses, and says so', async () => {
    const { code, err } = await contract(['http://localhost:6000/v1'])
    expect(code).toBe(1)
    expect(err).toContain(
      'did not answer: fetch and browsers refuse this port; let the service listen on another one.',
    )
  })

  it.each([
    [[], 'baseUrl'],
    [['localhost:4010'], 'is not a valid base URL'],
    [['http://localhost/v1?x=1'], 'use only scheme, host, port and path'],
    [['http://localhost/v1', '--key', 'two words'], 'without spaces'],
    [['http://localhost/v1', '--report', 'junit'], 'junit=report.xml'],
    [['http://localhost/v1', '--report', 'markdwon=a'], 'Did you mean markdown?'],
  ])('refuses wrong usage with 2: %j', async (args, message) => {
    const { code, err } = await contract(args)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})
