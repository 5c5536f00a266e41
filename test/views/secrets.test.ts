import { expect, it, vi } from 'vitest'
import { openSandbox } from '../../src/compose/open-sandbox.ts'
import { explain, viewOf } from '../../src/mcp/explain.ts'
import { jsonLine } from '../../src/views/exchange-line.ts'
import { junit } from '../../src/views/junit.ts'
import { createRunRecorder } from '../../src/views/report/run-recorder.ts'
import { runSummaryMarkdown, runSummarySuite } from '../../src/views/run-summary.ts'
import { GATE_NAMES } from '../../src/world/traffic/gates.ts'
import { startCollector } from '../support/collector.ts'
import { everyCharacter, hasKey } from '../support/has-key.ts'

const FOREIGN = 'tok-9f8e7d6c5b4a39281706'

const post = (body: BodyInit) => ({ method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
const pet = (members: object) => post(JSON.stringify({ name: 'Rex', categoryId: 1, ...members }))

type Form = (secret: string) => readonly [path: string, init?: RequestInit]

const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  'in other letters': (secret) => secret.toUpperCase(),
  'in Base64': (secret) => btoa(secret),
  'percent-encoded once': everyCharacter,
  'percent-encoded twice': (secret) => encodeURIComponent(everyCharacter(secret)),
  'percent-encoded three times': (secret) => encodeURIComponent(encodeURIComponent(everyCharacter(secret))),
  'percent-encoded four times': (secret) =>
    everyCharacter(everyCharacter(everyCharacter(everyCharacter(secret)))),
}

const textOf = (type: string, body: string) => ({ method: 'POST', body, headers: { 'Content-Type': type } })

const PLACES: Readonly<Record<string, Form>> = {
  'a header field': (text) => ['/pets', { headers: { 'X-Trace': `a ${text} b` } }],
  'a path': (text) => [`/pets/${text}`],
  'a parameter': (text) => [`/pets?cursor=${text}`],
  'a member of JSON': (text) => ['/pets', pet({ note: text })],
  'a form': (text) => ['/pets', textOf('application/x-www-form-urlencoded', `name=Rex&note=${text}`)],
  'a text': (text) => ['/pets', textOf('text/plain', `see ${text}, please`)],
}

/** Each encoding at each place. */
const ENCODED_FORMS = Object.fromEntries(
  Object.entries(PLACES).flatMap(([place, form]) =>
    Object.entries(ENCODINGS).map(([encoding, encode]): [string, Form] => [
      `${place}, ${encoding}`,
      (secret) => form(encode(secret)),
    ]),
  ),
)

/** Requests that contain a secret: path and options. */
const FORMS: Readonly<Record<string, Form>> = {
  ...ENCODED_FORMS,
  'a parameter': (secret) => [`/pets?cursor=${secret}`],
  'the name of a parameter': (secret) => [`/pets?${secret}=1`],
  'the name of a parameter in other letters': (secret) => [`/pets?${secret.toUpperCase()}=1`],
  'a parameter named api_key': (secret) => [`/pets?api_key=${secret}`],
  'a parameter, percent-encoded twice': (secret) => [`/pets?a=${encodeURIComponent(everyCharacter(secret))}`],
  'a parameter in Base64': (secret) => [`/pets?state=${btoa(`x:${secret}`)}`],
  'a path': (secret) => [`/pets/${secret}`],
  'a path, percent-encoded twice': (secret) => [`/nowhere/${encodeURIComponent(everyCharacter(secret))}`],
  'a header field': (secret) => ['/pets', { headers: { 'X-Trace': `a ${secret} b` } }],
  'a header field that is a credential': (secret) => ['/pets', { headers: { 'X-Api-Key': secret } }],
  Basic: (secret) => ['/pets', { headers: { Authorization: `Basic ${btoa(`user:${secret}`)}` } }],
  'a cookie': (secret) => ['/pets', { headers: { Cookie: `session=${secret}` } }],
  Referer: (secret) => [
    '/pets',
    { headers: { Referer: `http://user:${secret}@localhost/?token=${secret}` } },
  ],
  'Idempotency-Key': (secret) => ['/pets', { ...pet({}), headers: { 'Idempotency-Key': secret } }],
  'the name of a test': (secret) => [
    '/pets?unknown=1',
    { headers: { Baggage: `test.name=${encodeURIComponent(`with ${secret}`)}` } },
  ],
  'a name': (secret) => ['/pets', pet({ name: secret })],
  'a member of JSON': (secret) => ['/pets', pet({ note: { password: secret } })],
  'the name of a member': (secret) => ['/pets', pet({ [secret]: 1 })],
  'JSON in JSON': (secret) => ['/pets', pet({ name: JSON.stringify({ secret }) })],
  'Base64 in JSON': (secret) => ['/pets', pet({ name: btoa(`to ${secret}`) })],
  'a body that is not JSON': (secret) => ['/pets', post(`{"name": ${secret}`)],
  'a body that is not UTF-8': (secret) => ['/pets', post(Buffer.from(`\xff${secret}`, 'latin1'))],
  Bearer: (secret) => ['/pets', { headers: { Authorization: `Bearer ${secret}` } }],
}

it('no output contains an unmasked secret, even if it was sent before it was known as one', async () => {
  const recorder = createRunRecorder(GATE_NAMES)
  const logged: string[] = []
  const collector = await startCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  const sandbox = await openSandbox(
    { listen: false, fixture: 'default' },
    {
      onExchange: (exchange) => {
        recorder.record(exchange)
        logged.push(jsonLine(exchange))
      },
      beforeServing({ worlds }) {
        worlds.onForget = recorder.addBackoff
      },
    },
  )
  const fetched = async (path: string, init?: RequestInit) =>
    (await sandbox.fetch(new Request(`http://localhost${path}`, init))).text()
  const issued = JSON.parse(await fetched('/_sandbox/keys', post(JSON.stringify({ plan: 'business' })))) as {
    key: string
  }
  const secrets = [FOREIGN, issued.key]
  const sendAll = async () => {
    for (const make of Object.values(FORMS)) {
      for (const secret of secrets) {
        const [path, { headers, ...init } = {}] = make(secret)
        await fetched(`/v1${path}`, { ...init, headers: { Authorization: 'Bearer psk_pro', ...headers } })
      }
    }
  }
  await sendAll()
  // Now the token of the other service is known, since the last request had it as Bearer.
  const before = logged.length
  logged.length = 0
  await sendAll()
  await fetched(`/_sandbox/keys/${issued.key}/limits`, { method: 'DELETE' })
  await fetched(`/_sandbox/keys/${issued.key}`, { method: 'DELETE' })

  const journal = await fetched('/_sandbox/requests?limit=1000')
  const entries = JSON.parse(journal)
  const outputs: Record<string, string> = {
    journal,
    HAR: await fetched('/_sandbox/requests?format=har'),
    log: logged.join('\n'),
    history: await fetched('/_sandbox/history'),
    report: await fetched('/_sandbox/report'),
    'report of all': await fetched('/_sandbox/report?namespace=*'),
    explain: JSON.stringify(entries.map((each: never) => [explain(each), viewOf(each, true)])),
    recording: await fetched('/_sandbox/recording'),
  }
  await sandbox.close()
  vi.unstubAllEnvs()
  await collector.close()
  outputs.spans = JSON.stringify(collector.spans.slice(before))
  const summary = recorder.summary(['listPets'])
  const run = { command: 'npm test', code: 1, at: '2026-11-19T12:34:56.000Z', ms: 1 }
  outputs.summary = JSON.stringify(summary)
  outputs.JUnit = junit([runSummarySuite(summary, run)])
  outputs.Markdown = runSummaryMarkdown(summary, run)

  const shown = Object.entries(outputs).flatMap(([name, text]) => {
    expect(text.length, name).toBeGreaterThan(100)
    return secrets.flatMap((secret) =>
      text
        .split(/\n|(?<=\}),(?=\{)/)
        .filter((part) => hasKey(part, secret))
        .slice(0, 2)
        .map((part) => `${name}: ${part.slice(0, 600)}`),
    )
  })
  expect(shown).toEqual([])
})
