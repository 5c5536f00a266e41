import { loadContract } from '../../compose/start-files.ts'
import { refuseBaseUrl } from '../../config/base-url.ts'
import { readSecret } from '../../config/readers.ts'
import { at } from '../../config/usage-error.ts'
import { AdvisedError } from '../../text/advised-error.ts'
import { formatDuration } from '../../time/duration.ts'
import { runConformance } from '../../tools/conformance/run.ts'
import {
  type CheckResult,
  checkLines,
  conformanceMarkdown,
  conformanceSuite,
  conformanceSummary,
} from '../../views/conformance.ts'
import { command, type Given, type Io, OVERLAYS } from '../command.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import { checkReports, REPORTS, writeReports } from '../report-files.ts'
import { stopSignal } from '../startup.ts'
import { jsonText } from '../values.ts'

const DEFAULT_KEY = 'psk_pro'

const TAKES = {
  '<baseUrl>': 'base URL of the service, such as http://localhost:4010/v1',
  '--key <key>': `API key (env: PETSTORE_API_KEY; default: ${DEFAULT_KEY})`,
  '--allow-writes': 'also check createPet, which adds three pets to the service',
  '--exhaust-limits': 'also use up the quota of the key, to check 429 and Retry-After',
  ...OVERLAYS,
  ...REPORTS,
  '--json': 'print the report as JSON',
}

export const contract = command({
  takes: TAKES,
  examples: [
    'contract http://localhost:4010/v1',
    'contract https://staging.example.com/v1 --key "$STAGING_KEY" --report junit=contract.xml',
    'contract http://localhost:4010/v1 --allow-writes --exhaust-limits --key psk_free',
  ],
  async run(given, io) {
    checkReports(given.report, io)
    const signal = stopSignal()
    const report = await check(given, signal, io)
    io.out(given.json ? jsonText(report, 2) : `\n${conformanceSummary(report, io.paint)}`)
    const hasFailed = report.counts.failed > 0
    const result = { json: report, suite: conformanceSuite(report), markdown: conformanceMarkdown(report) }
    writeReports(given.report ?? [], result, hasFailed || signal.aborted, io)
    signal.throwIfAborted()
    if (hasFailed) throw new Exit(GATE_FAILED)
    const fix = 'Repeat it once that has changed, or use another key'
    if (report.unchecked !== null)
      throw new AdvisedError(`Not all checks were possible: ${report.unchecked}`, fix)
  },
})

async function check({ baseUrl, ...flags }: Given<typeof TAKES>, signal: AbortSignal, io: Io) {
  refuseBaseUrl(baseUrl)
  const key = at(flags.key === undefined ? 'PETSTORE_API_KEY' : '--key', () =>
    readSecret('API key')(flags.key ?? (io.env.PETSTORE_API_KEY || DEFAULT_KEY)),
  )
  const contract = await loadContract(flags.overlay, (notice) => io.talk(`${notice}\n`))
  const { createContractValidator } = await import('../../prism/validator.ts')
  const { validateResponse: validate } = await createContractValidator(contract.document)
  const { newPetSamples } = await import('../../contract/generate/generate-pets.ts')
  const samples = await newPetSamples(contract.newPet)
  const { allowWrites, exhaustLimits, json } = flags
  const onWait = (milliseconds: number, why: string) =>
    io.talk(`Waiting ${formatDuration(milliseconds)}: ${why}\n`)
  const onResult = json ? undefined : (result: CheckResult) => io.out(checkLines(result, io.paint))
  const service = { baseUrl, key, contract, validate, samples, signal }
  return runConformance({ ...service, allowWrites, exhaustLimits, onWait, onResult })
}
