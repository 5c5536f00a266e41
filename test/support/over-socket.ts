import { Agent, request } from 'node:http'
import type { SandboxFetch } from '../../src/web/fetch.ts'

const kept = new Agent({ keepAlive: true })

/** `fetch` over a real socket for a path, which is sent unchanged (the built-in one normalises it). */
export const overSocket =
  (port: number, agent = kept): SandboxFetch =>
  async (input, init = {}) => {
    // Made by the platform, so that both ways send the same headers for the same body.
    const { headers, body } = new Request('http://localhost', { ...init, method: init.body ? 'POST' : 'GET' })
    const bytes = body ? Buffer.from(await new Response(body).arrayBuffer()) : undefined
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent,
          port,
          path: String(input),
          method: init.method ?? 'GET',
          headers: { ...Object.fromEntries(headers), ...(bytes && { 'content-length': bytes.length }) },
        },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () => {
            const fields = new Headers()
            for (let i = 0; i < answer.rawHeaders.length; i += 2) {
              fields.append(answer.rawHeaders[i] as string, answer.rawHeaders[i + 1] as string)
            }
            const status = answer.statusCode ?? 0
            resolve(new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: fields }))
          })
        },
      )
      sent.on('error', reject)
      sent.end(bytes)
    })
  }
