import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { run } from '../support/program.ts'

const pathOf = (name: string): string => fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url))

it('a sandbox behind a certificate that nobody has signed is reached once that is trusted', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const [cert, key] = [pathOf('certificate'), pathOf('key')].map((path) => readFileSync(path))
  const server = createServer({ cert, key }, (message, response) =>
    sandbox.middleware(message, response, () => response.end()),
  ).listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  const refused = await run(['clock', '--url', origin])
  expect(refused.err).toContain(`The certificate of ${origin} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`)
  expect(refused.err).toContain('NODE_EXTRA_CA_CERTS')
  const env = { NODE_EXTRA_CA_CERTS: pathOf('certificate') }
  const { code, out, err } = await run(['clock', '--url', origin], { env })
  expect(code, err).toBe(0)
  expect(out).toMatch(/^\d{4}-/)
  server.closeAllConnections()
  server.close()
})
