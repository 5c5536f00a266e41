import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Builds the program if it is missing or older than its sources. Called before tests that start it. */
export default function build(): void {
  if (changedAt('dist/cli.js') < Math.max(...sources().map(changedAt)))
    execFileSync('npm', ['run', 'build'], { cwd: ROOT })
}

/** The source files of the program, without those that the build generates. */
function sources(): string[] {
  const below = ['src', 'build'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return [...below.filter((name) => /\.\w+$/.test(name) && !name.includes('generated')), 'rolldown.config.ts']
}

const changedAt = (file: string): number =>
  statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
