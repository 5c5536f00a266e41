/**
 * Sends all kinds of hostile requests to a sandbox in this process, from a fixed seed, and prints the size of the heap
 * after garbage collection. Run with --expose-gc. Argument: the number of requests.
 */
import { createSandbox } from '../../src/compose/sandbox.ts'
import { Dice } from '../fuzz/dice.ts'

const count = Number(process.argv[2])
const dice = new Dice(7)
const sandbox = await createSandbox({ listen: false, log: 'silent', maxState: '16MiB' })
const long = (most: number) => 'x'.repeat(1 + dice.below(most))
const word = () => dice.below(1e9).toString(36)

interface Sent {
  readonly path: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const post = (body: string, key = `psk_enterprise.${word()}`, headers = {}): Sent => ({
  path: '/v1/pets',
  method: 'POST',
  headers: { ...bearer(key), 'content-type': 'application/json', ...headers },
  body,
})
const names = (many: number) => Array.from({ length: 1 + dice.below(many) }, word)

const KINDS: readonly (() => Sent)[] = [
  () => ({ path: `/v1/pets?${names(300).join('&')}`, headers: bearer('psk_enterprise') }),
  () => ({ path: `/v1/${long(8000)}`, headers: bearer('psk_enterprise') }),
  () => ({ path: '/v1/pets', headers: bearer(`${word()}.${word()}`) }),
  () => ({ path: '/v1/pets', headers: bearer(long(8000)) }),
  () => ({ path: '/v1/pets', headers: bearer(`psk_free.${word()}`) }),
  () => ({
    path: '/v1/pets',
    headers: { ...bearer('psk_pro'), prefer: `a${' '.repeat(dice.below(8000))}b` },
  }),
  () => ({ path: '/v1/pets', headers: { ...bearer('psk_free.w'), [`x-${word()}`]: long(8000) } }),
  () => ({ path: '/v1/pets', method: 'OPTIONS', headers: { origin: `http://${word()}.example` } }),
  () => post('{'.repeat(1 + dice.below(5000))),
  () => post(`{"name":"${long(20_000)}","categoryId":1}`),
  () => post(`{"name":"Kit","categoryId":${'9'.repeat(1 + dice.below(20_000))}}`),
  () =>
    post(
      `{${names(500)
        .map((name) => `"${name}":1`)
        .join()}}`,
      'psk_enterprise',
    ),
  () => post('{"name":"Kit","categoryId":1}', 'psk_enterprise', { 'idempotency-key': long(8000) }),
  () => post(long(100_000), 'psk_enterprise'),
  () => ({ path: `/openapi.json?namespace=${word()}` }),
  () => ({ path: `/_sandbox/${long(4000)}` }),
  () => ({ path: `/_sandbox/pets?namespace=${word()}` }),
  () => ({ path: '/_sandbox/requests/verify', method: 'POST', body: '['.repeat(dice.below(20_000)) }),
  () => ({
    path: '/_sandbox/faults',
    method: 'POST',
    body: JSON.stringify({ effect: { status: 1, code: long(3000) } }),
  }),
]

for (let sent = 0; sent < count; sent++) {
  const { path, ...init } = (KINDS[dice.below(KINDS.length)] as () => Sent)()
  const response = await sandbox.fetch(path, init)
  await response.arrayBuffer()
}
globalThis.gc?.()
const { heapUsed, external } = process.memoryUsage()
const pets = (await (await sandbox.fetch('/_sandbox/namespaces')).json()).length
process.stdout.write(`${JSON.stringify({ sent: count, heapUsed, external, namespaces: pets })}\n`)
await sandbox.close()
