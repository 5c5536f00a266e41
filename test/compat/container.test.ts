import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasPart } from '../parts.ts'
import { here } from './run.ts'

/** Without root, buildah needs subordinate user ids that a machine may lack. The workflow also builds with Docker. */
const hasBuildah =
  process.getuid?.() === 0 &&
  hasPart(
    spawnSync('buildah', ['--version']).status === 0,
    'buildah (the package buildah)',
    'the tests of the container image',
  )

const folder = mkdtempSync(join(tmpdir(), 'petstore-container-'))
const STORE = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
const env = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' }

/** Runs a command of buildah; returns its output. */
function buildah(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('buildah', [...STORE, ...args], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`buildah ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

/**
 * A replacement for the official image of Node, since tests use no registry: Node and npm of this machine, a shell, their
 * libraries, and the user `node`.
 */
function makeBase(): void {
  const root = join(folder, 'root')
  const add = (from: string, to = from) => {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    cpSync(realpathSync(from), join(root, to), { recursive: true })
  }
  const output = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' })
  const npm = join(dirname(realpathSync(output('which', 'npm').trim())), '..')
  for (const name of ['sh', 'env', 'mkdir', 'chown', 'mv', 'id', 'ls', 'test', 'node']) {
    const program = realpathSync(name === 'node' ? process.execPath : output('which', name).trim())
    add(program, `/usr/bin/${name}`)
    for (const [library] of output('ldd', program).matchAll(/\/\S+/g)) add(library)
  }
  // Additional libraries that build tools load.
  const libraries = dirname(/\/\S+\/libc\.so\.6/.exec(output('ldd', process.execPath))?.[0] ?? '')
  for (const name of [
    'gcc_s.so.1',
    'm.so.6',
    'pthread.so.0',
    'dl.so.2',
    'rt.so.1',
    'util.so.1',
    'resolv.so.2',
  ])
    add(join(libraries, `lib${name}`))
  symlinkSync('usr/bin', join(root, 'bin'))
  add(npm, '/usr/lib/node_modules/npm')
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/bin', name))
  add('/etc/ssl/certs/ca-certificates.crt')
  mkdirSync(join(root, 'tmp'))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  writeFileSync(
    join(folder, 'Dockerfile'),
    `FROM scratch
ADD root /
ENV PATH=/usr/bin npm_config_prefix=/usr NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
`,
  )
  buildah('bud', '--tag', 'localhost/base', folder)
}

/** The health check of the image: the ready file exists. */
const HEALTHY = ['test', '-s', '/data/ready.json']

describe.skipIf(!hasBuildah)('the container image', () => {
  let container: string
  let running: ChildProcess

  beforeAll(() => {
    makeBase()
    const image = ['--tag', 'localhost/petstore-sandbox', '--format', 'docker']
    buildah('bud', '--network', 'host', '--build-arg', 'BASE=localhost/base', ...image, here('../..'))
    container = buildah('from', 'localhost/petstore-sandbox').trim()
  }, 600_000)
  afterAll(() => {
    running?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  it('declares how to run, stop and check it', () => {
    const image = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/petstore-sandbox'))
    expect(image.Docker.config).toMatchObject({
      User: 'node',
      Entrypoint: ['petstore-sandbox'],
      StopSignal: 'SIGTERM',
      Volumes: { '/data': {} },
      ExposedPorts: { '4010/tcp': {} },
      Healthcheck: { Test: ['CMD', ...HEALTHY] },
    })
  })

  it('is not root, and is healthy when it answers', async () => {
    expect(buildah('run', container, '--', 'id', '-u')).toBe('1000\n')
    const settings = ['--env', 'PETSTORE_SANDBOX_PORT=0', '--env', 'PETSTORE_SANDBOX_LOG=json']
    running = spawn('buildah', [...STORE, 'run', ...settings, container, '--', 'petstore-sandbox'], { env })
    const [line] = await once(running.stdout as NodeJS.ReadableStream, 'data')
    const { event, baseUrl, pid } = JSON.parse(String(line).split('\n')[0] ?? '')
    expect(event).toBe('ready')
    const created = await fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: { authorization: 'Bearer psk_pro', 'content-type': 'application/json' },
      body: '{"name":"Kit","categoryId":2}',
    })
    expect(created.status).toBe(201)
    buildah('run', container, '--', ...HEALTHY)

    // There is no container runtime here, so the test sends the stop signal.
    process.kill(pid, 'SIGTERM')
    expect(await once(running, 'close')).toEqual([0, null])
    expect(() => buildah('run', container, '--', ...HEALTHY)).toThrow('ended with 1')
  })

  it('stores its pets in /data', () => {
    const listed = buildah('run', container, '--', 'ls', '-ln', '/data')
    expect(listed).toMatch(/^-rw------- 1 1000 1000 .* db\.json$/m)
    const exported = [
      '--',
      'petstore-sandbox',
      'exec',
      '--db',
      '/data/db.json',
      '--',
      'petstore-sandbox',
      'pets',
    ]
    expect(buildah('run', container, ...exported)).toContain('Kit')
  })
})
