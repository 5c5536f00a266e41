import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hasPart } from '../parts.ts'
import { run, start } from '../support/program.ts'

const pathOf = (name: string): string => fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url))

const OPTIONS = ['--cert', pathOf('certificate'), '--key', pathOf('key')]
const TRUSTED = { NODE_EXTRA_CA_CERTS: pathOf('certificate') }

it('a sandbox with a certificate is reached by commands and by a page once that is trusted', async () => {
  const program = await start(['--port', '0', '--memory', ...OPTIONS])
  const { origin } = new URL(program.baseUrl)
  expect(origin).toMatch(/^https:/)
  const refused = await run(['clock', '--url', origin])
  expect(refused.err).toContain(`The certificate of ${origin} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`)
  expect(refused.err).toContain('NODE_EXTRA_CA_CERTS')
  const { code, out, err } = await run(['clock', '--url', origin], { env: TRUSTED })
  expect(code, err).toBe(0)
  expect(out).toMatch(/^\d{4}-/)
  if (hasPart(spawnSync('curl', ['--version']).status === 0, 'curl', 'the inspector over HTTP/2')) {
    const { stdout: page } = spawnSync('curl', ['-sk', '-w', '%{http_version}', `${origin}/_sandbox/`], {
      encoding: 'utf8',
    })
    expect(page).toMatch(/^<!doctype html>.*2$/is)
  }
  await program.stop()
})

it('exec serves HTTPS to its command', async () => {
  const script = `fetch(process.env.PETSTORE_BASE_URL + '/pets', { headers: { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY } })
    .then(({ status, url }) => console.log(status, url))`
  const ran = await run(['exec', ...OPTIONS, '--', process.execPath, '-e', script], { env: TRUSTED })
  expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/^200 https:/) })
})

it('a key of another certificate is wrong usage', async () => {
  const { code, err } = await run(['--cert', pathOf('certificate'), '--key', pathOf('certificate')])
  expect(code).toBe(2)
  expect(err).toMatch(/^petstore-sandbox: --cert and --key: .*certificate\.pem holds no private key\. Use /)
})
