import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { hasPart } from '../parts.ts'
import { run, start, stopAll } from '../support/program.ts'

const pathOf = (name: string): string => fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url))

const OPTIONS = ['--cert', pathOf('certificate'), '--key', pathOf('key')]
const hasCurl = hasPart(
  spawnSync('curl', ['--version']).status === 0,
  'curl',
  'the inspector over HTTP/2, and a proxy over HTTPS',
)
const TRUSTED = { NODE_EXTRA_CA_CERTS: pathOf('certificate') }

afterEach(stopAll)

it('commands and a page reach a sandbox with a certificate that they trust', async () => {
  const program = await start(['--port', '0', '--memory', ...OPTIONS])
  const { origin } = new URL(program.baseUrl)
  expect(origin).toMatch(/^https:/)
  const refused = await run(['clock', '--url', origin])
  expect(refused.err).toContain(`The certificate of ${origin} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`)
  expect(refused.err).toContain('NODE_EXTRA_CA_CERTS')
  const { code, out, err } = await run(['clock', '--url', origin], { env: TRUSTED })
  expect(code, err).toBe(0)
  expect(out).toMatch(/^\d{4}-/)
  if (hasCurl) {
    const { stdout: page } = spawnSync(
      'curl',
      ['-sk', '--noproxy', '*', '-w', '%{http_version}', `${origin}/_sandbox/`],
      {
        encoding: 'utf8',
      },
    )
    expect(page).toMatch(/^<!doctype html>.*2$/is)
  }
})

it('commands with the wrong protocol say which one to use', async () => {
  const secure = (await start(['--port', '0', '--memory', ...OPTIONS])).origin
  const plain = (await start(['--port', '0', '--memory'])).origin
  const http = secure.replace('https:', 'http:')
  expect((await run(['clock', '--url', http])).err).toContain(`If it serves HTTPS, use ${secure}`)
  const https = plain.replace('http:', 'https:')
  expect((await run(['clock', '--url', https])).err).toContain(`It serves HTTP: use ${plain}`)
})

it('exec serves HTTPS to its command', async () => {
  const script = `fetch(process.env.PETSTORE_BASE_URL + '/pets', { headers: { authorization: 'Bearer ' + process.env.PETSTORE_API_KEY } })
    .then(({ status, url }) => console.log(status, url))`
  const ran = await run(['exec', ...OPTIONS, '--', process.execPath, '-e', script], { env: TRUSTED })
  expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/^200 https:/) })
})

it.skipIf(!hasCurl)('a proxy serves HTTPS, and reaches a service with a trusted certificate', async () => {
  const service = await start(['--port', '0', '--memory', ...OPTIONS])
  const listed = async (env: NodeJS.ProcessEnv) => {
    const proxy = await start(['proxy', service.baseUrl, '--port', '0', ...OPTIONS], { env })
    const headers = ['-H', 'Authorization: Bearer psk_pro']
    const url = `${proxy.baseUrl}/pets?limit=1`
    const { stdout } = spawnSync(
      'curl',
      ['-s', '--noproxy', '*', '--cacert', pathOf('certificate'), ...headers, url],
      {
        encoding: 'utf8',
      },
    )
    expect(await proxy.stop()).toBe(0)
    expect(proxy.origin).toMatch(/^https:/)
    return JSON.parse(stdout)
  }
  expect(await listed(TRUSTED)).toEqual([expect.objectContaining({ id: 1 })])
  expect(await listed({})).toMatchObject({
    code: 'bad_gateway',
    message: expect.stringMatching(/certificate is not trusted .* NODE_EXTRA_CA_CERTS/),
  })
})

it('a key that does not belong to the certificate is wrong usage', async () => {
  const { code, err } = await run(['--cert', pathOf('certificate'), '--key', pathOf('certificate')])
  expect(code).toBe(2)
  expect(err).toMatch(
    /^petstore-sandbox: --cert and --key: .*certificate\.pem contains no private key\. Use /,
  )
})
