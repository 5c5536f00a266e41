import { dirname, resolve } from 'node:path'
import type { Recorder } from '../../api/pipeline.ts'
import { createProxy, PROXY_OPTIONS, type ProxyHooks, type RunningProxy } from '../../compose/proxy.ts'
import { refuseBaseUrl } from '../../config/base-url.ts'
import { VERSION } from '../../contract/version.ts'
import { serializeFixture } from '../../fixtures/serialize.ts'
import { formatOf } from '../../node/files/load.ts'
import { makeFolder } from '../../node/files/make-folder.ts'
import { replaceFile } from '../../node/store/replace-file.ts'
import { InvalidValue } from '../../text/advised-error.ts'
import { plural } from '../../text/plural.ts'
import { parseDuration } from '../../time/duration.ts'
import { iso } from '../../time/instant.ts'
import { readyLine } from '../../views/banner.ts'
import {
  proxySummaryMarkdown,
  proxySummarySuite,
  proxySummaryText,
  violationLines,
} from '../../views/proxy-summary.ts'
import { command, type Io } from '../command.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import { checkReports, checkWritable, REPORTS, tellOrFail, writeReports } from '../report-files.ts'
import { ENVIRONMENT, pick, startOptions, startTakes } from '../start-options.ts'
import { endUnread, eventLine, startup, untilStopped } from '../startup.ts'
import { readTimeout } from '../values.ts'

export const proxy = command({
  takes: {
    '<baseUrl>': 'base URL of the service, such as http://localhost:4010/v1',
    '--timeout <duration>': {
      summary: 'time limit for each response of the service',
      default: '30s',
      read: readTimeout('1d'),
    },
    '--fail-on-violation':
      'exit with 3 if a request or a response violates the interface, or the service does not answer',
    '--record <fixture>': {
      summary: 'on exit, write the pets in the responses to this fixture file',
      read: readFixtureFile,
    },
    ...REPORTS,
    ...startTakes(
      [...PROXY_OPTIONS, 'readyFile', 'config'],
      {},
      {
        seed: 'seed for random latencies and faults',
        readyFile: 'file to write one JSON line to when the proxy is ready',
      },
    ),
  },
  notes: [ENVIRONMENT],
  examples: [
    'proxy https://staging.example.com/v1',
    'proxy https://staging.example.com/v1 --fail-on-violation --report junit=proxy.xml',
    'proxy http://localhost:4010/v1 --port 4020 --latency 100ms-300ms --record seen.json',
  ],
  async run({ baseUrl: service, failOnViolation, timeout, record, report = [], ...given }, io) {
    refuseBaseUrl(service)
    if (record !== undefined) checkWritable('--record', record, resolve(io.cwd, record))
    checkReports(report, io, [record])
    const at = iso(Date.now())
    const hooks = { gathersPets: record !== undefined, timeout: parseDuration(timeout) }
    const stopped = untilStopped()
    const proxy = await open(service, hooks, given, io)
    await stopped
    await proxy.close()
    const json = { ...proxy.report(), violations: proxy.violations.list() }
    const { total: violationCount, unanswered } = proxy.violations
    const { requests, violations } = json
    const passed = { service, at, requests, unanswered, violationCount, violations }
    io.talk(`\n${proxySummaryText(passed, io.talkPaint)}`)
    const hasFailed = failOnViolation === true && violationCount + unanswered > 0
    const result = { json, suite: proxySummarySuite(passed), markdown: proxySummaryMarkdown(passed) }
    writeReports(report, result, hasFailed, io)
    if (record !== undefined)
      await writeFixture(proxy, record, io).catch((error: Error) => tellOrFail(error, hasFailed, io))
    endUnread()
    if (hasFailed) throw new Exit(GATE_FAILED)
  },
})

/** Starts the proxy and prints its banner, and later each violation. */
async function open(service: string, hooks: ProxyHooks, flags: object, io: Io): Promise<RunningProxy> {
  const { options, readyFile } = await startOptions({ ...flags }, io)
  const proxyOptions = pick(options, PROXY_OPTIONS)
  const onViolation: Recorder = (exchange) => io.talk(violationLines(exchange, io.talkPaint))
  const opened = () => createProxy(service, proxyOptions, { ...hooks, onViolation })
  const proxy = await startup(opened, options, readyFile)
  io.out(options.log === 'json' ? eventLine(proxy) : greeting(proxy, service, io))
  return proxy
}

const greeting = ({ baseUrl, controlUrl }: RunningProxy, service: string, { paint }: Io): string =>
  `${paint.strong(`petstore-sandbox ${VERSION} proxy`)}

  base URL  ${paint.good(baseUrl)}
  service   ${service}
  control   ${controlUrl}

${readyLine(baseUrl)}
`

function readFixtureFile(file: string): string {
  if (formatOf(file) && !/\.tsv$/i.test(file)) return file
  const fix = 'use a name that ends in .json, .yaml, .yml or .csv'
  throw new InvalidValue(`"${file}" is not a fixture file`, fix)
}

async function writeFixture(proxy: RunningProxy, file: string, { cwd, talk }: Io): Promise<void> {
  const fixture = proxy.petsSeen()
  const format = formatOf(file)
  if (!fixture || !format) {
    talk(`${file} was not written: no response could contain pets\n`)
    return
  }
  const hasNul = (pet: object) => Object.values(pet).some((value) => String(value).includes('\0'))
  const pets = fixture.pets.filter((pet) => format !== 'csv' || !hasNul(pet))
  const text = await serializeFixture({ ...fixture, pets }, format, proxy.petShape)
  makeFolder(dirname(resolve(cwd, file)))
  await replaceFile(resolve(cwd, file), [text])
  const left = fixture.pets.length - pets.length
  const without = `, except ${plural(left, 'pet')} with a NUL character, which CSV cannot contain`
  talk(`${file} contains the ${plural(pets.length, 'pet')} seen${left > 0 ? without : ''}\n`)
}
