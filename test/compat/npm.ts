import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { here } from './run.ts'

export function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`)
}

/** Packs the project and installs it in a folder. Returns the tarball. */
export function installPackage(folder: string): string {
  npm(['pack', '--ignore-scripts', '--pack-destination', folder], here('../..'))
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) as string)
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  npm(['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', tarball], folder)
  return tarball
}
