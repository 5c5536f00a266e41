import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Outcome {
  readonly code: number | null
  /** The text of stdout and stderr. */
  readonly text: string
}

/** The path of a file beside this one. */
export const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Runs a JavaScript file with this Node. */
export async function runNode(args: readonly string[], cwd: string): Promise<Outcome> {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, REDOCLY_TELEMETRY: 'off' }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
  }
  const [code] = await once(child, 'close')
  return { code, text }
}
