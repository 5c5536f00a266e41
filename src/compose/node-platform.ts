import { anyCall, connectControl } from '../client/control.ts'
import { controlBodyLimit } from '../control/body-limit.ts'
import { FIXTURE_NAMES, loadFixture } from '../node/files/load.ts'
import { packageFile, pageFile } from '../node/files/package.ts'
import { loopDelay, slices, turn } from '../node/turns.ts'
import { prismMocks } from '../prism/mocks.ts'
import { errorMessage } from '../text/error.ts'
import { printableLines } from '../text/printable.ts'
import { createFetch } from '../web/fetch.ts'
import type { Handle } from '../world/traffic/message.ts'
import { DEFAULT_NAMESPACE } from '../world/worlds.ts'
import type { McpOptions, Platform } from './platform.ts'
import { webPlatform } from './web-platform.ts'

/** The time limits at shutdown, in milliseconds: for requests in progress, then for the store and the export of spans. */
export const SHUTDOWN_GRACE = { requests: 200, spans: 500, store: 250 }

export const writeToTerminal = (warning: string): void =>
  void process.stderr.write(`${printableLines(warning)}\n`)

/** Prints an unexpected failure to the terminal; clients never see it. */
export const onFailure = (error: unknown): void =>
  writeToTerminal(
    `petstore-sandbox failed to answer a request: ${Object(error).stack ?? errorMessage(error)}`,
  )

const summary = async (): Promise<string> => {
  const { readFile } = await import('node:fs/promises')
  return readFile(packageFile('llms.txt'), 'utf8')
}

/** The tools for agents, which call this control API. Loaded at the first call. */
async function mcp(control: Handle, { token, shutdown, origin, document }: McpOptions) {
  const { createMcpEndpoint } = await import('../mcp/server.ts')
  const fetch = createFetch(control, ({ target }) => controlBodyLimit(target), shutdown)
  const address = { url: 'http://localhost', namespace: DEFAULT_NAMESPACE, caller: 'agent', token, fetch }
  return createMcpEndpoint({ origin, call: anyCall(connectControl(address)) }, { document })
}

/** The platform in Node, with files, sockets and Prism. */
export const nodePlatform: Platform = {
  ...webPlatform(slices),
  turn,
  onFailure,
  fixtureNames: FIXTURE_NAMES,
  loadFixture,
  page: pageFile,
  loopDelay,
  summary,
  mocks: prismMocks,
  mcp,
}
