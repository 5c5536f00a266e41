import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { created, list, ones, type Ready } from './answers.ts'

/** The upper bound: node:http with prepared responses to GET, and POST in memory. */

interface Sendable {
  readonly headers: string[]
  readonly body: string
}

const sendable = ({ headers, body }: Ready): Sendable => ({ headers: Object.entries(headers).flat(), body })
const PETS = '/v1/pets'
const page = sendable(list())
const single = new Map([...ones()].map(([id, one]) => [`${PETS}/${id}`, sendable(one)]))

createServer((request, response) => {
  if (request.method === 'POST') create(request, response)
  else if (request.url === PETS) send(response, 200, page)
  else send(response, 200, single.get(request.url ?? '') ?? page)
}).listen(Number(process.argv[2]), '127.0.0.1')

function create(request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    send(response, 201, sendable(created(JSON.parse(String(body)))))
  })
}

function send(response: ServerResponse, status: number, { headers, body }: Sendable): void {
  response.writeHead(status, headers)
  response.end(body)
}
