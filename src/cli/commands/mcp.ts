import { anyCall, connectControl, sandboxOrigin } from '../../client/control.ts'
import { createSandbox, type Sandbox } from '../../compose/sandbox.ts'
import { isOnThisMachine, refuseBaseUrl } from '../../config/base-url.ts'
import { UsageError } from '../../config/usage-error.ts'
import { controlContract } from '../../contract/control.ts'
import type { Processes, Target } from '../../mcp/tool.ts'
import { oneByOne } from '../../time/eventually.ts'
import { DEFAULT_NAMESPACE } from '../../world/worlds.ts'
import { command } from '../command.ts'
import { ADDRESS_SOURCES, addressOf, TOKEN } from '../remote.ts'
import { endUnread, untilStopped } from '../startup.ts'

export const mcp = command({
  takes: { '--url <url>': `address of the sandbox ${ADDRESS_SOURCES}`, ...TOKEN },
  examples: ['mcp', 'mcp --url http://localhost:4010'],
  async run(given, io) {
    const { url, token } = addressOf(given, io)
    const { serveOnStdio } = await import('../../mcp/server.ts')
    const sandboxes = selectableSandboxes(url, token)
    const { document } = controlContract()
    const stopped = untilStopped()
    const { ended, close } = serveOnStdio(sandboxes, { document, processes: sandboxes })
    try {
      await Promise.race([ended, stopped])
    } finally {
      await close()
      await sandboxes.stop()
      endUnread()
    }
  },
})

/**
 * The sandbox of the tools: the configured one, until a tool selects or starts another one. The arguments of a tool may
 * come from untrusted text. They can therefore select sandboxes of this machine only, and the token is sent only to the
 * configured sandbox and to the one started here.
 */
export function selectableSandboxes(configured: string, token: string | undefined): Target & Processes {
  const home = sandboxOrigin(configured)
  let started: Sandbox | undefined
  let origin = home
  /** Starts and stops one after the other, so that simultaneous calls do not start several. */
  const inTurn = oneByOne()
  const isStarted = () => started !== undefined && origin === sandboxOrigin(started.baseUrl)
  return {
    origin: () => origin,
    call(method, path, request) {
      const trusted = origin === home || isStarted() ? token : undefined
      const address = { url: origin, namespace: DEFAULT_NAMESPACE, token: trusted, caller: 'agent' }
      return anyCall(connectControl(address))(method, path, request)
    },
    use(url) {
      refuseBaseUrl(url)
      if (sandboxOrigin(url) !== home && !isOnThisMachine(url))
        throw new UsageError(
          `"${url}" is on another machine, to which no tool may connect`,
          `Start petstore-sandbox mcp with --url ${url}`,
        )
      origin = sandboxOrigin(url)
    },
    start: (options) =>
      inTurn(async () => {
        if (started)
          throw new UsageError(
            `${sandboxOrigin(started.baseUrl)} was started here and runs`,
            'Use it, create a world in it with create_world, or stop it with stop_sandbox first',
          )
        started = await createSandbox({ port: 0, ...options, controlToken: token })
        origin = sandboxOrigin(started.baseUrl)
      }),
    stop: () =>
      inTurn(async () => {
        const running = started
        if (isStarted()) origin = home
        started = undefined
        await running?.close()
        return running !== undefined
      }),
  }
}
