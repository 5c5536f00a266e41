import type { Command } from 'commander'
import { anyCall } from '../../client/any-call.ts'
import { connectControl } from '../../client/control.ts'
import { createSandbox, type Sandbox } from '../../compose/sandbox.ts'
import { controlContract } from '../../contract/control.ts'
import type { Processes, Target } from '../../mcp/tool.ts'
import { version } from '../../node/files/package.ts'
import { withoutSlashes } from '../../text/without-slashes.ts'
import { DEFAULT_NAMESPACE } from '../../world/worlds.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { endUnread, untilStopped } from '../signals.ts'

const DEFAULT_URL = 'http://localhost:4010'

interface McpFlags {
  readonly url?: string
  readonly controlToken?: string
}

export function register(command: Command, io: Io): void {
  command
    .option('--url <url>', `where the sandbox is (env: PETSTORE_SANDBOX_URL; default: ${DEFAULT_URL})`)
    .option('--control-token <token>', 'token of the control API (env: PETSTORE_SANDBOX_CONTROL_TOKEN)')
    .action((flags: McpFlags) => serve(flags, io))
  addExamples(command, 'mcp', 'mcp --url http://localhost:4010')
}

async function serve({ url, controlToken }: McpFlags, { env }: Io): Promise<void> {
  const { serveOnStdio } = await import('../../mcp/stdio.ts')
  let origin = originOf(url ?? (env.PETSTORE_SANDBOX_URL || DEFAULT_URL))
  let started: Sandbox | undefined
  const token = controlToken ?? (env.PETSTORE_SANDBOX_CONTROL_TOKEN || undefined)
  const target: Target = {
    origin: () => origin,
    async call(method, path, request) {
      const client = connectControl({ url: origin, namespace: DEFAULT_NAMESPACE, token })
      return anyCall(client)(method, path, request)
    },
  }
  const stop = async () => {
    const running = started
    started = undefined
    await running?.close()
    return running !== undefined
  }
  const processes: Processes = {
    use: (other) => {
      origin = originOf(other)
    },
    async start(options) {
      await stop()
      started = await createSandbox({
        port: 0,
        ...options,
        ...(token !== undefined && { controlToken: token }),
      })
      origin = originOf(started.baseUrl)
    },
    stop,
  }
  const { document } = controlContract()
  const stopped = untilStopped()
  const { ended, close } = serveOnStdio(target, { version, document, processes })
  await Promise.race([ended, stopped])
  await close()
  await stop()
  endUnread()
}

const originOf = (url: string): string => withoutSlashes(url).replace(/\/(v1|_sandbox)$/, '')
