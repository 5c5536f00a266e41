import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Builds the program where it is missing or older than its sources; before the tests that start it. */
export default function build(): void {
  if (changedAt('dist/cli.js') < Math.max(...sources().map(changedAt)))
    execFileSync('npm', ['run', 'build'], { cwd: ROOT })
}

/** Every file from which the build makes the program, but for those that it makes itself. */
function sources(): string[] {
  const below = ['src', 'build'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return [...below.filter((name) => /\.\w+$/.test(name) && !name.includes('generated')), 'rolldown.config.ts']
}

const changedAt = (file: string): number =>
  statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
