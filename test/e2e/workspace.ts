import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npm } from '../compat/npm.ts'
import { environmentWithout } from '../support/program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const examples = fileURLToPath(new URL('../../examples/', import.meta.url))

/** The peer dependencies of the projects, linked from the node_modules of this project. */
const PEERS = [
  '@types/node',
  '@playwright/test',
  'msw',
  'openapi-fetch',
  'openapi-typescript',
  'typescript',
  'vite',
  'vitest',
]

export interface Outcome {
  readonly code: number | null
  /** The text of stdout and stderr. */
  readonly text: string
}

/** Projects that have petstore-sandbox installed from its tarball. */
export interface Workspace {
  /** Copies a project of examples/ to a folder of this name; returns its path. */
  project(name: string, folder?: string): string
  /** Runs a command line in a folder, with the shell of npm and CI services. */
  run(folder: string, line: string, env?: NodeJS.ProcessEnv): Promise<Outcome>
  remove(): void
}

export function createWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-recipes-'))
  npm(['pack', '--ignore-scripts', '--pack-destination', folder], root)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string
  npm(['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', join(folder, tarball)], folder)
  const modules = join(folder, 'node_modules')
  for (const name of PEERS) link(name, modules)
  return {
    project(name, as = name) {
      const copy = join(folder, as)
      cpSync(join(examples, name), copy, { recursive: true })
      symlinkSync(modules, join(copy, 'node_modules'))
      return copy
    },
    run,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Links a package and its programs to where npm would install them. */
function link(name: string, modules: string): void {
  const home = join(root, 'node_modules', name)
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(home, join(modules, name))
  const { bin = {} } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    bin?: Record<string, string>
  }
  mkdirSync(join(modules, '.bin'), { recursive: true })
  for (const [program, file] of Object.entries(bin))
    symlinkSync(join(home, file), join(modules, '.bin', program))
}

async function run(folder: string, line: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', line], {
    cwd: folder,
    env: { ...environmentWithout(OURS), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
  }
  const [code] = await once(child, 'close')
  return { code, text }
}

/** The variables of this test runner, which an inner test runner would use. */
const OURS = /^(VITEST|NODE_ENV|TEST|FORCE_COLOR|PETSTORE_|NODE_TEST_CONTEXT)/
