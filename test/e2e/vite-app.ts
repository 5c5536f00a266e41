import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ViteApp {
  readonly origin: string
  /** The text of stdout and stderr. */
  text(): string
  /** Resolves when it has printed this text. */
  printed(what: string): Promise<void>
  stop(): Promise<void>
}

/** Starts the program of Vite in a folder, on a free port; resolves when it has printed its address. */
export async function startVite(
  program: string,
  cwd: string,
  args: readonly string[] = [],
): Promise<ViteApp> {
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' }
  const child = spawn(process.execPath, [program, ...args, '--port', '0'], { cwd, env })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more
      child.emit('printed')
    })
  const printed = async (what: string) => {
    while (!text.includes(what)) {
      if (child.exitCode !== null) throw new Error(`Vite ended with ${child.exitCode}:\n${text}`)
      await Promise.race([once(child, 'printed'), once(child, 'close')])
    }
  }
  await printed('/_sandbox/')
  return {
    origin: /(http:\S+)\/_sandbox\//.exec(text)?.[1] as string,
    text: () => text,
    printed,
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    },
  }
}

export const asPro = { headers: { authorization: 'Bearer psk_pro' } }

export const addPet = (origin: string, name: string): Promise<Response> =>
  fetch(`${origin}/v1/pets`, {
    method: 'POST',
    headers: { ...asPro.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  })
