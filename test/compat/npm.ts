import { spawnSync } from 'node:child_process'

export function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`)
}
