import { createMcpHandler } from '@modelcontextprotocol/server'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { createMcpServer } from './server.ts'
import type { Target } from './tool.ts'

/** Serves the Model Context Protocol over streamable HTTP, without sessions. */
export function createMcpEndpoint(
  target: Target,
  about: { version: string; document: OpenApiDocument },
): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(() => createMcpServer(target, about))
  return (request) => handler.fetch(request)
}
