import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { temporaryFolder } from '../support/folder.ts'

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))

it('each door that CommonJS can require has types for a TypeScript that does not read exports', () => {
  const required = Object.entries(manifest.exports).flatMap(([door, to]) =>
    typeof to === 'object' && 'require' in to && door !== '.' ? [[door.slice(2), [to.require.types]]] : [],
  )
  expect(manifest.typesVersions['*']).toEqual(Object.fromEntries(required))
})

it('a Node that is too old is refused in words, and pages name the versions of package.json', () => {
  const withoutModules = '--import=data:text/javascript,delete process.getBuiltinModule'
  const { stderr, status } = spawnSync(process.execPath, [withoutModules, path('bin/petstore-sandbox.js')], {
    encoding: 'utf8',
  })
  expect(stderr).toContain(`Node ${process.versions.node} is too old. Use Node 20.19, 22.12 or newer\n`)
  expect(status).toBe(2)
  expect(manifest.engines.node).toBe('^20.19.0 || >=22.12.0')
  for (const page of [
    'README.md',
    'CONTRIBUTING.md',
    'docs/start.md',
    'features/petstore-sandbox/install.sh',
  ])
    expect(readFileSync(path(page), 'utf8')).toContain('Node 20.19, 22.12 or newer')
})

it('each file that names the version has that of package.json, and the page about releases lists it', () => {
  const read = (file: string) => readFileSync(path(file), 'utf8')
  const examples = readdirSync(path('examples')).map((name) => `examples/${name}/package.json`)
  const dependent = examples.filter((file) => read(file).includes('"petstore-sandbox":'))
  expect(dependent.length).toBeGreaterThan(5)
  const others = ['docs/start.md', 'docs/ci.md', 'features/petstore-sandbox/devcontainer-feature.json']
  for (const file of [...others, ...dependent]) {
    expect(read(file), file).toContain(manifest.version)
    expect(read('docs/releasing.md')).toContain(`\`${file.replace(/(?<=^examples\/)[^/]+/, '*')}\``)
  }
})

it('the image is built with the files that the program reads from its package', () => {
  const sources = readdirSync(path('src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.ts$/.test(name),
  )
  const read = sources.flatMap((name) =>
    [...readFileSync(path(`src/${name}`), 'utf8').matchAll(/packageFile\(['`]([\w.]+)/g)].map(
      ([, part]) => part,
    ),
  )
  const context = readFileSync(path('.dockerignore'), 'utf8').split('\n')
  const missing = [...new Set(read)].filter((part) => part !== 'dist' && !context.includes(`!${part}`))
  expect(read).toContain('fixtures')
  expect(missing).toEqual([])
})

describe('the feature for dev containers', () => {
  const folder = path('features/petstore-sandbox')

  /** Runs install.sh with this script as npm, or without npm. */
  const install = (env: NodeJS.ProcessEnv, npm?: string) => {
    const bin = temporaryFolder()
    if (npm) {
      writeFileSync(join(bin, 'npm'), npm)
      chmodSync(join(bin, 'npm'), 0o755)
    }
    return spawnSync('/bin/sh', [join(folder, 'install.sh')], {
      env: { PATH: bin, ...env },
      encoding: 'utf8',
    })
  }

  it('installs the version that its option names', () => {
    const { options, id, version } = JSON.parse(
      readFileSync(join(folder, 'devcontainer-feature.json'), 'utf8'),
    )
    expect([id, version]).toEqual(['petstore-sandbox', manifest.version])
    expect(Object.keys(options)).toEqual(['version'])
    const { stdout, status } = install({ VERSION: '0.1.0' }, '#!/bin/sh\necho "$@"\n')
    expect(stdout).toBe('install --global --no-audit --no-fund petstore-sandbox@0.1.0\n')
    expect(status).toBe(0)
  })

  it('prints an error without Node', () => {
    const { stderr, status } = install({})
    expect(stderr).toContain('add the feature ghcr.io/devcontainers/features/node')
    expect(status).toBe(1)
  })
})

it.each(['bug.yml', 'idea.yml'])('the issue form %s has what GitHub requires', (name) => {
  expect(readdirSync(path('.github/ISSUE_TEMPLATE'))).toContain(name)
  const form = parse(readFileSync(path(`.github/ISSUE_TEMPLATE/${name}`), 'utf8'))
  expect([form.name, form.description].every(Boolean)).toBe(true)
  const ids = form.body.map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { type, attributes } of form.body) {
    expect(['textarea', 'input']).toContain(type)
    expect(attributes.label).toBeTruthy()
  }
})

it('workflows and the action refer to other actions by hash only', () => {
  const files = readdirSync(path('.github/workflows')).map((name) => `.github/workflows/${name}`)
  const used = [...files, 'action.yml'].flatMap((file) =>
    [...readFileSync(path(file), 'utf8').matchAll(/uses: (\S+)/g)].map(([, action]) => `${file} ${action}`),
  )
  expect(used.length).toBeGreaterThan(6)
  expect(used.filter((each) => !/@[0-9a-f]{40}$/.test(each))).toEqual([])
})

it('a workflow has no write permission, and a job only those that it needs', () => {
  const writes = readdirSync(path('.github/workflows')).flatMap((name) => {
    const { permissions, jobs } = parse(readFileSync(path(`.github/workflows/${name}`), 'utf8'))
    const all = [
      ['', permissions],
      ...Object.entries<{ permissions?: object }>(jobs).map(([job, each]) => [job, each.permissions ?? {}]),
    ]
    expect(permissions, name).toBeDefined()
    return all.flatMap(([job, given]) =>
      Object.entries(given).flatMap(([scope, level]) =>
        level === 'read' ? [] : [`${name} ${job}: ${scope}`],
      ),
    )
  })
  expect(writes.sort()).toEqual([
    'release.yml image: packages',
    'release.yml manifest: packages',
    'release.yml package: contents',
    'release.yml package: id-token',
  ])
})
