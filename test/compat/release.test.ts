import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { cloneProject } from '../support/clone.ts'
import { freePort } from '../support/port.ts'
import { here } from './run.ts'

/** A release to a registry on this machine. */
describe('a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-release-'))
  const project = join(folder, 'project')
  /** A copy, since npm changes files in it while it packs, and other tests pack too. */
  const cloned = join(folder, 'clone')
  const env = {
    ...process.env,
    npm_config_cache: join(folder, 'cache'),
    npm_config_userconfig: join(folder, 'npmrc'),
  }
  let registry: ChildProcess
  let tarball: string

  const run = (command: string, args: readonly string[], cwd: string): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
    if (status !== 0)
      throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
    return stdout
  }

  beforeAll(async () => {
    cloneProject(cloned)
    run(join(cloned, '.ci/package'), [`v${manifest.version}`, join(folder, 'release')], cloned)
    tarball = join(folder, 'release', `petstore-sandbox-${manifest.version}.tgz`)
    const port = await freePort()
    writeFileSync(
      join(folder, 'verdaccio.yaml'),
      `storage: ${join(folder, 'storage')}
auth: { htpasswd: { file: ${join(folder, 'htpasswd')} } }
packages: { '**': { access: $all, publish: $authenticated } }
log: { type: stdout, level: warn }
`,
    )
    registry = spawn(
      process.execPath,
      [
        here('node_modules/verdaccio/bin/verdaccio'),
        '--config',
        join(folder, 'verdaccio.yaml'),
        '--listen',
        `127.0.0.1:${port}`,
      ],
      { cwd: folder, stdio: 'ignore' },
    )
    const url = `http://127.0.0.1:${port}`
    await answerOf(`${url}/-/ping`)
    const user = { name: 'release', password: 'only-on-this-machine' }
    const registered = await fetch(`${url}/-/user/org.couchdb.user:release`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(user),
    })
    const { token } = (await registered.json()) as { token: string }
    writeFileSync(join(folder, 'npmrc'), `registry=${url}\n//127.0.0.1:${port}/:_authToken=${token}\n`)
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"private":true}')
  }, 180_000)
  afterAll(() => {
    registry?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  it('has checksums, an SBOM and notes', () => {
    const release = join(folder, 'release')
    run('sha256sum', ['--check', 'SHA256SUMS'], release)
    const { bomFormat, components } = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'))
    expect(bomFormat).toBe('CycloneDX')
    const names = components.map(({ group, name }: { group?: string; name: string }) =>
      group ? `${group}/${name}` : name,
    )
    expect(names).toEqual(expect.arrayContaining(['lowdb', '@stoplight/prism-http', 'commander']))
    expect(readFileSync(join(release, 'notes.md'), 'utf8')).not.toBe('')
  })

  it('is identical byte for byte in another folder and when it is packed again', () => {
    const again = join(folder, 'again')
    mkdirSync(again)
    run('npm', ['pack', '--pack-destination', again], cloneProject(join(folder, 'another-clone')))
    const [name = ''] = readdirSync(again)
    expect(readFileSync(join(again, name)).equals(readFileSync(tarball))).toBe(true)
  }, 120_000)

  it('is refused for a tag that differs from the version', () => {
    const { status, stderr } = spawnSync(join(cloned, '.ci/package'), ['v9.9.9', join(folder, 'wrong')], {
      env,
      encoding: 'utf8',
    })
    expect(stderr).toContain(`package.json has ${manifest.version}`)
    expect(status).toBe(1)
    expect(readdirSync(join(folder, 'wrong')).filter((name) => name.endsWith('.tgz'))).toEqual([])
  })

  it('is published, and runs by npx from the registry', () => {
    run('npm', ['publish', tarball], folder)
    const printed = run('npx', ['--yes', 'petstore-sandbox', 'exec', '--', 'node', '-e', LIST], project)
    expect(printed).toContain('200 12\n')
  })

  it('upgrades an earlier version and keeps its data', () => {
    run('npm', ['install', 'petstore-sandbox'], project)
    const exec = ['petstore-sandbox', 'exec', '--db', 'db.json', '--']
    run('npx', [...exec, 'npx', 'petstore-sandbox', 'seed', '--count', '30', '--seed', '1'], project)

    const next = join(folder, 'next')
    mkdirSync(next)
    execFileSync('tar', ['-xzf', tarball, '-C', next])
    run('npm', ['version', 'patch', '--no-git-tag-version'], join(next, 'package'))
    run('npm', ['publish'], join(next, 'package'))
    run('npm', ['update', 'petstore-sandbox', '--prefer-online'], project)

    const [major, minor, patch] = manifest.version.split('.')
    const installed = readFileSync(join(project, 'node_modules/petstore-sandbox/package.json'), 'utf8')
    expect(JSON.parse(installed).version).toBe(`${major}.${minor}.${Number(patch) + 1}`)
    expect(run('npx', [...exec, 'node', '-e', LIST], project)).toContain('200 30\n')
  })
})

/** Lists the pets of the sandbox that runs this script. */
const LIST = `fetch(process.env.PETSTORE_BASE_URL + '/pets?limit=100', { headers: { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY } })
  .then(async (response) => console.log(response.status, (await response.json()).length))`

async function answerOf(url: string): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} does not answer`)
}
