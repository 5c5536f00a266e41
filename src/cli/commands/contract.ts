import { loadContract } from '../../compose/contract.ts'
import { UsageError } from '../../config/usage-error.ts'
import { formatDuration } from '../../time/duration.ts'
import { type ConformanceOptions, NoResponse, runConformance } from '../../tools/conformance/run.ts'
import {
  checkLines,
  conformanceMarkdown,
  conformanceSuite,
  conformanceSummary,
} from '../../views/conformance.ts'
import { junit } from '../../views/junit.ts'
import type { ConformanceReport } from '../../views/report/conformance-report.ts'
import { refuseBaseUrl } from '../base-url.ts'
import { command, overlays } from '../command.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { REPORTS, writeReports } from '../report-files.ts'

const DEFAULT_KEY = 'psk_pro'

export const contract = command({
  takes: {
    '<baseUrl>': 'where the service is, ending in /v1',
    '--key <key>': `API key (env: PETSTORE_API_KEY; default: ${DEFAULT_KEY})`,
    '--allow-writes': 'also send POST requests: three pets are added, invalid ones must be refused',
    '--exhaust-limits': 'also use up the quota of the key, to check 429 and the recovery from it',
    ...overlays(': what it adds to a pet is checked too'),
    ...REPORTS,
    '--json': 'print the report as JSON',
  },
  examples: [
    'contract http://localhost:4010/v1',
    'contract https://staging.example.com/v1 --key "$STAGING_KEY" --report junit=contract.xml',
    'contract http://localhost:4010/v1 --allow-writes --exhaust-limits --key psk_free',
  ],
  async run(given, io) {
    const report = await check(given, io)
    io.out(given.json ? jsonText(report) : `\n${conformanceSummary(report, io.paint)}`)
    const texts = {
      junit: () => junit([conformanceSuite(report)]),
      json: () => jsonText(report),
      markdown: () => conformanceMarkdown(report),
    }
    writeReports(given.report ?? [], texts, io)
    conclude(report)
  },
})

interface ContractGiven {
  readonly baseUrl: string
  readonly key: string | undefined
  readonly allowWrites: true | undefined
  readonly exhaustLimits: true | undefined
  readonly overlay: readonly string[] | undefined
  readonly json: true | undefined
}

async function check({ baseUrl, ...flags }: ContractGiven, io: Io): Promise<ConformanceReport> {
  const key = flags.key ?? (io.env.PETSTORE_API_KEY || DEFAULT_KEY)
  refuseWrong(baseUrl, key)
  const contract = await loadContract(flags.overlay, (notice) => io.talk(`${notice}\n`))
  const { createContractValidator } = await import('../../prism/validator.ts')
  const { validateResponse } = await createContractValidator(contract.document)
  const { newPetSamples } = await import('../../contract/generate/new-pet.ts')
  const options: ConformanceOptions = {
    baseUrl,
    key,
    contract,
    validate: validateResponse,
    samples: await newPetSamples(contract.newPet),
    allowWrites: flags.allowWrites === true,
    exhaustLimits: flags.exhaustLimits === true,
    onWait: (milliseconds, why) => io.talk(`Waiting ${formatDuration(milliseconds)}: ${why}\n`),
    ...(!flags.json && { onResult: (result) => io.out(checkLines(result, io.paint)) }),
  }
  return runConformance(options).catch((error: unknown) => {
    if (!(error instanceof NoResponse)) throw error
    throw new Error(
      `${baseUrl} did not answer: ${error.message}. Check that the service runs, and its address`,
    )
  })
}

function refuseWrong(baseUrl: string, key: string): void {
  refuseBaseUrl(baseUrl)
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('--key: the API key is not valid', 'use visible ASCII characters without spaces')
}

function conclude({ counts, unchecked }: ConformanceReport): void {
  if (counts.failed > 0) throw new Exit(GATE_FAILED)
  if (unchecked !== null) throw new Error(`No check that needs the key was possible: ${unchecked}`)
}

const jsonText = (report: ConformanceReport): string => `${JSON.stringify(report, undefined, 2)}\n`
