import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Io } from '../../src/cli/command.ts'
import { run } from '../../src/cli/run.ts'
import animalStore from '../../src/contract/generated/animal-store.json' with { type: 'json' }
import { VERSION } from '../../src/contract/version.ts'
import { PLAIN as plain } from '../../src/views/colours.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process, without colours. `onOut` receives the output as it comes; with `columns`, stdout is a terminal. */
export async function runCli(
  args: string[],
  env: NodeJS.ProcessEnv = {},
  cwd = process.cwd(),
  input = '',
  onOut: (more: string) => void = () => {},
  columns?: number,
  talksToTerminal = false,
): Promise<Ran> {
  let out = ''
  let err = ''
  const io: Io = {
    env,
    cwd,
    input: Readable.from([input]),
    out: (more) => {
      out += more
      onOut(more)
    },
    talk: (more) => {
      err += more
    },
    paint: plain,
    talkPaint: plain,
    talksToTerminal,
    columns,
  }
  const code = await run(args, io)
  return { code, out, err }
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly query: Record<string, string>
  readonly accept: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

interface Stubbed {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly text: string
}

const HEALTH = { status: 'ok', version: VERSION, uptimeSeconds: 1, pets: 12 }

/** A control API that records its calls. It answers with the value in `answers` under, for example, `GET /keys`, else 204. */
export async function stubControl(answers: Readonly<Record<string, unknown>>) {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const call = await callOf(request)
    // A command first checks whether the address is a sandbox.
    const isHealth = call.path === '/health'
    // The document describes the pets; it is not used here.
    const isDocument = call.path === '/openapi.json'
    if (!isHealth && !isDocument) calls.push(call)
    const answer = isHealth
      ? (answers['GET /health'] ?? HEALTH)
      : isDocument
        ? animalStore
        : answers[`${call.method} ${call.path}`]
    if (answer === undefined) return response.writeHead(204).end()
    const { status = 200, type = 'application/json', headers, text } = stubbed(answer)
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    calls,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const stubbed = (answer: unknown): Stubbed =>
  typeof answer === 'object' && answer !== null && 'text' in answer
    ? (answer as Stubbed)
    : { text: JSON.stringify(answer) }

async function callOf(request: IncomingMessage): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  return {
    method: request.method ?? '',
    path: pathname.replace(/^\/_sandbox/, ''),
    query: Object.fromEntries(searchParams),
    accept: request.headers.accept,
    authorization: request.headers.authorization,
    body: await text(request),
  }
}
