import { anyCall, connectControl } from '../../client/control.ts'
import { createSandbox, type Sandbox } from '../../compose/sandbox.ts'
import { UsageError } from '../../config/usage-error.ts'
import { controlContract } from '../../contract/control.ts'
import type { Processes, Target } from '../../mcp/tool.ts'
import { version } from '../../node/files/package.ts'
import { withoutSlashes } from '../../text/without-slashes.ts'
import { DEFAULT_NAMESPACE } from '../../world/worlds.ts'
import { isOnThisMachine, refuseBaseUrl } from '../base-url.ts'
import { command } from '../command.ts'
import { DEFAULT_URL, FROM_WHERE, TOKEN } from '../remote.ts'
import { endUnread, untilStopped } from '../signals.ts'

export const mcp = command({
  takes: { '--url <url>': `address of the sandbox ${FROM_WHERE}`, ...TOKEN },
  examples: ['mcp', 'mcp --url http://localhost:4010'],
  async run({ url, controlToken }, { env }) {
    const configured = url ?? (env.PETSTORE_SANDBOX_URL || DEFAULT_URL)
    refuseBaseUrl(configured)
    const token = controlToken ?? (env.PETSTORE_SANDBOX_CONTROL_TOKEN || undefined)
    const { serveOnStdio } = await import('../../mcp/server.ts')
    const sandboxes = selectableSandboxes(configured, token)
    const { document } = controlContract()
    const stopped = untilStopped()
    const { ended, close } = serveOnStdio(sandboxes, { version, document, processes: sandboxes })
    await Promise.race([ended, stopped])
    await close()
    await sandboxes.stop()
    endUnread()
  },
})

/**
 * The sandbox of the tools: the configured one, until a tool selects or starts another one. The arguments of a tool may
 * come from untrusted text. They can therefore select sandboxes of this machine only, and the token is sent only to the
 * configured sandbox and to the one started here.
 */
export function selectableSandboxes(configured: string, token: string | undefined): Target & Processes {
  let started: Sandbox | undefined
  let origin = originOf(configured)
  const stop = async () => {
    const running = started
    started = undefined
    await running?.close()
    return running !== undefined
  }
  const isTrusted = () =>
    origin === originOf(configured) || (started !== undefined && origin === originOf(started.baseUrl))
  return {
    origin: () => origin,
    async call(method, path, request) {
      const address = { url: origin, namespace: DEFAULT_NAMESPACE, token: isTrusted() ? token : undefined }
      return anyCall(connectControl(address))(method, path, request)
    },
    use(url) {
      refuseBaseUrl(url)
      if (originOf(url) !== originOf(configured) && !isOnThisMachine(url)) {
        throw new UsageError(
          `"${url}" is on another machine, to which no tool may connect`,
          `Start petstore-sandbox mcp with --url ${url}`,
        )
      }
      origin = originOf(url)
    },
    async start(options) {
      await stop()
      started = await createSandbox({ port: 0, ...options, controlToken: token })
      origin = originOf(started.baseUrl)
    },
    stop,
  }
}

const originOf = (url: string): string => withoutSlashes(url).replace(/\/(v1|_sandbox)$/, '')
