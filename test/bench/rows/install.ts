import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { output } from '../children.ts'
import type { Comparison } from '../comparison.ts'
import { EMULATE, SANDBOX } from '../contenders.ts'
import type { Bench } from '../context.ts'
import { INSTALL } from '../goals.ts'
import { npmInstall } from '../packages.ts'
import { inTurn } from '../rounds.ts'
import { SCRATCH } from '../scratch.ts'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
const PACK_MS = 60_000

interface Installed {
  readonly seconds: number
  readonly packages: number
  readonly megabytes: number
}

/** The size of `npm install` of the tarball, with an empty cache of npm. */
export async function installRows(bench: Bench): Promise<Comparison[]> {
  const tarball = await pack()
  const entries = [
    { name: SANDBOX.name, specs: [tarball] },
    ...(bench.beside.includes(EMULATE) ? [{ name: EMULATE.name, specs: EMULATE.packages ?? [] }] : []),
  ]
  const found = await inTurn(bench, 'install', bench.size.installs, entries, ({ specs }) => install(specs))
  const of = (name: string, what: keyof Installed): number[] =>
    (found.get(name) ?? []).map((figures) => figures[what])
  const ours = (what: keyof Installed): number[] => of(SANDBOX.name, what)
  const figures = of(EMULATE.name, 'seconds')
  const beside = figures.length > 0 && { against: { name: EMULATE.name, figures }, goal: INSTALL.seconds }
  return [
    { what: 'installed packages', unit: '', ours: ours('packages'), goal: INSTALL.packages },
    { what: 'installed files', unit: 'MB', ours: ours('megabytes'), goal: INSTALL.megabytes },
    { what: 'install, empty cache', unit: 's', ours: ours('seconds'), ...beside },
  ]
}

async function pack(): Promise<string> {
  const command = ['npm', 'pack', '--ignore-scripts', '--json', '--loglevel=error']
  const printed = await output([...command, '--pack-destination', SCRATCH], {
    cwd: PROJECT,
    timeoutMs: PACK_MS,
  })
  const [packed] = JSON.parse(printed) as { filename: string }[]
  return join(SCRATCH, packed?.filename ?? '')
}

async function install(specs: readonly string[]): Promise<Installed> {
  const at = mkdtempSync(join(SCRATCH, 'install-'))
  const cache = join(at, 'cache')
  const home = join(at, 'home')
  mkdirSync(home)
  const began = performance.now()
  await npmInstall(home, specs, ['--cache', cache])
  const seconds = (performance.now() - began) / 1000
  const modules = join(home, 'node_modules')
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
  const figures = {
    seconds,
    packages: Object.keys(lock.packages).length,
    megabytes: bytesIn(modules) / 1e6,
  }
  rmSync(at, { recursive: true, force: true })
  return figures
}

/** The size of the files on the disk. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((bytes, name) => {
    return bytes + (statSync(join(folder, name), { throwIfNoEntry: false })?.blocks ?? 0) * 512
  }, 0)
