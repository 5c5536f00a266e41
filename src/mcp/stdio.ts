import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { createMcpServer } from './server.ts'
import type { Processes, Target } from './tool.ts'

/** Serves the tools on stdin and stdout; resolves when the client closes them. */
export function serveOnStdio(
  target: Target,
  about: { version: string; document: OpenApiDocument; processes: Processes },
): { readonly ended: Promise<void>; readonly close: () => Promise<void> } {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
  })
  const { close } = serveStdio(() => createMcpServer(target, about), {
    transport: new StdioServerTransport(),
  })
  return { ended, close }
}
