import { connect } from 'node:net'

/** Resolves with the bytes that a server sends until it closes the connection or `until` matches. */
export function sendRaw(port: number, bytes: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    const done = () => {
      socket.destroy()
      resolve(received)
    }
    socket.setTimeout(60_000, () => reject(new Error(`no answer in time; so far: ${received}`)))
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (until?.test(received)) done()
    })
    socket.on('end', done)
    socket.on('error', reject)
  })
}

/** The parts of a raw response. */
export function parseRaw(text: string): { status: number; headers: Headers; body: string } {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const pairs = fields.map((field): [string, string] => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon), field.slice(colon + 1).trim()]
  })
  return { status: Number(line.split(' ')[1]), headers: new Headers(pairs), body: rest.join('\r\n\r\n') }
}
