import { connect } from 'node:net'

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/**
 * The client closes its side after this many turns of the event loop without data. The server is in this process, so that
 * it has had as many turns, however busy the machine is.
 */
const QUIET_TURNS = 25
const MAX = 20_000

/** Sends the bytes over one connection; resolves with all received bytes when it is closed. */
export const exchange = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const chunks: Buffer[] = []
    const done = () => {
      clearTimeout(most)
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    let turns = 0
    const closeWhenQuiet = () => (turns++ < QUIET_TURNS ? setImmediate(closeWhenQuiet) : socket.end())
    const most = setTimeout(() => reject(new Error('The connection stays open after its end.')), MAX)
    socket.on('connect', () => {
      socket.write(Buffer.from(bytes, 'latin1'))
      closeWhenQuiet()
    })
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      turns = 0
    })
    socket.on('end', done)
    socket.on('close', done)
    socket.on('error', done)
  })

/** Parses the received answers; throws if they are not HTTP. `mayBeHead`: whether an answer may have no body. */
export function answersIn(received: string, mayBeHead: boolean): Answer[] {
  const answers: Answer[] = []
  let rest = received
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [A-Za-z' -]+$/.exec(line)?.[1])
    if (end < 0 || !status) throw new Error(`no HTTP: ${JSON.stringify(rest.slice(0, 300))}`)
    const headers = new Map(fields.map(fieldOf))
    rest = rest.slice(end + 4)
    if (status === 100) continue
    const isHead = mayBeHead && (rest === '' || rest.startsWith('HTTP/1.1 '))
    const length = status === 204 || isHead ? 0 : lengthOf(headers)
    if (rest.length < length) throw new Error(`cut off: ${JSON.stringify(rest.slice(0, 300))}`)
    answers.push({ status, headers, body: rest.slice(0, length) })
    rest = rest.slice(length)
  }
  return answers
}

function fieldOf(line: string): [string, string] {
  const field = /^([A-Za-z0-9-]+): ([\x20-\x7e]*)$/.exec(line)
  if (!field) throw new Error(`no header field: ${JSON.stringify(line)}`)
  return [(field[1] ?? '').toLowerCase(), field[2] ?? '']
}

function lengthOf(headers: ReadonlyMap<string, string>): number {
  const length = headers.get('content-length')
  if (length === undefined || !/^\d+$/.test(length)) throw new Error(`no length: ${length}`)
  return Number(length)
}
