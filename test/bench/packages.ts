import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { output } from './children.ts'
import { SCRATCH } from './scratch.ts'

/** Keeps installed packages for the next run. The names of their folders contain the versions. */
const CACHE = join(os.tmpdir(), 'petstore-sandbox-bench')
const INSTALL_MS = 300_000

const NODES = { 20: '20.20.2', 22: '22.23.3', 24: '24.19.0' } as const
export type NodeMajor = keyof typeof NODES
export const NODE_MAJORS = Object.keys(NODES).map(Number) as NodeMajor[]

export const isNodeMajor = (text: string): text is `${NodeMajor}` => text in NODES
export const nodeVersion = (major: NodeMajor): string => NODES[major]

/** The Node executable from npm. */
export async function nodeProgram(major: NodeMajor): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = await installed([`${name}@${NODES[major]}`])
  return join(folder, 'node_modules', name, 'bin', 'node')
}

/** The folder with these packages installed. A failed installation leaves no such folder. */
export async function installed(packages: readonly string[]): Promise<string> {
  const folder = join(CACHE, folderName(packages))
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const making = mkdtempSync(join(SCRATCH, 'making-'))
  await npmInstall(making, packages)
  renameSync(making, folder)
  return folder
}

export async function npmInstall(
  folder: string,
  packages: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  await output(['npm', 'install', '--prefix', folder, ...quiet, ...options, ...packages], {
    cwd: folder,
    timeoutMs: INSTALL_MS,
  })
}

function folderName(packages: readonly string[]): string {
  const hash = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 8)
  return `${packages[0]?.replaceAll(/[^\w.-]+/g, '-')}-${hash}`
}
