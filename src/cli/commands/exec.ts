import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { sandboxOrigin } from '../../client/control.ts'
import { openSandbox, type SandboxHooks } from '../../compose/open-sandbox.ts'
import type { Sandbox } from '../../compose/sandbox.ts'
import { readRecordFile, readWord } from '../../config/readers.ts'
import { variableOf } from '../../config/table.ts'
import { UsageError } from '../../config/usage-error.ts'
import { operationIds } from '../../contract/openapi/contract.ts'
import type { OpenApiDocument } from '../../contract/openapi/document.ts'
import { deleteRecording } from '../../node/files/recording-file.ts'
import { printableLines } from '../../text/printable.ts'
import { shellWord } from '../../text/shell.ts'
import { iso } from '../../time/instant.ts'
import { createRunRecorder, type RunSummary } from '../../views/report/run-recorder.ts'
import { reportText } from '../../views/report-text.ts'
import {
  annotations,
  backoffText,
  type CommandRun,
  gatesText,
  runSummaryMarkdown,
  runSummarySuite,
  shortReport,
  testsText,
} from '../../views/run-summary.ts'
import { PLAN_NAMES } from '../../world/plan.ts'
import { GATE_NAMES, type GateName } from '../../world/traffic/gates.ts'
import { childRunner } from '../child.ts'
import { command, type Io, talkNotice } from '../command.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import { checkReports, REPORTS, writeReports } from '../report-files.ts'
import { ENVIRONMENT, shortPath, startOptions, startTakes } from '../start-options.ts'
import { startup } from '../startup.ts'
import { untilKey } from '../terminal-keys.ts'

const PORT_AND_VARIABLES = `exec takes port, data file and ready file from flags only, so it never collides
with a running sandbox.

Environment variables of the command:
  PETSTORE_BASE_URL     base URL of the API, ending in /v1
  PETSTORE_API_KEY      the API key of --plan
  PETSTORE_SANDBOX_URL  origin of the sandbox; its control API is at /_sandbox
  PETSTORE_SANDBOX_CONTROL_TOKEN  the control token, if one is set`

const RECORD = variableOf('record')

export const exec = command({
  passThrough: true,
  takes: {
    '<command...>': 'the command to run, after --',
    '--plan <plan>': { summary: 'plan of PETSTORE_API_KEY', choices: PLAN_NAMES, default: 'enterprise' },
    '--fail-on <gates>': {
      summary: `exit with 3 if one of these gates fails, separated by commas: ${GATE_NAMES.join(', ')}`,
      read: readGates,
    },
    '--record-on-failure <file>': {
      summary: 'record all requests in a file, which is deleted if the command and the gates pass',
      conflicts: ['record'],
      read: readRecordFile,
    },
    '--inspect': 'keep the sandbox running after the command until a key is pressed',
    ...REPORTS,
    ...startTakes(undefined, { port: 'any free port', db: 'in memory', log: 'silent' }),
  },
  notes: [ENVIRONMENT, PORT_AND_VARIABLES],
  examples: [
    'exec -- npm test',
    'exec --fail-on deprecated,early-retry --report junit=petstore.xml -- npx vitest run',
    'exec --plan free --fixture busy -- node client.js',
    'exec --inspect -- npx vitest run',
  ],
  async run(
    { command: words, plan, report = [], failOn: gates = [], inspect, recordOnFailure, ...others },
    io,
  ) {
    if (recordOnFailure !== undefined && io.env[RECORD])
      throw new UsageError(
        `--record-on-failure and ${RECORD} both name a file for the recording`,
        `unset ${RECORD}, or leave --record-on-failure out`,
      )
    // These override port and data file of a configuration file, which are meant for start.
    const overrides = {
      port: '0',
      ...(recordOnFailure !== undefined && { record: recordOnFailure }),
      ...(others.db === undefined && { memory: true }),
    }
    const runChild = childRunner()
    const { options, located } = await startOptions({ ...overrides, ...others }, io, { log: 'silent' })
    checkReports(report, io, [options.record, options.db, others.readyFile])
    const recorder = createRunRecorder(gates)
    let isOver = false
    const hooks: SandboxHooks = {
      logTo: 'stderr',
      // Later requests of the inspector are not counted.
      onExchange: (exchange) => isOver || recorder.record(exchange),
      beforeServing({ worlds }) {
        worlds.onForget = recorder.addBackoff
      },
    }
    await using sandbox = await startup(() => located(openSandbox(options, hooks)), options, others.readyFile)
    for (const { text } of sandbox.info.notices) talkNotice(text, io)
    if (inspect) io.talk(`inspector  ${sandbox.controlUrl}/\n`)
    const ran = await runIn(sandbox, runChild, words, plan, options.controlToken, io)
    // Read from the document: a recording would contain a call of the report.
    const document = await (await sandbox.fetch('/openapi.json')).json()
    isOver = inspect === true
    if (!inspect) await sandbox.close()
    const summary = recorder.summary(operationIds(document as OpenApiDocument))
    const run = { ...ran, command: recorder.shown(words) }
    showSummary(summary, io)
    const hasFailed = summary.gates.some(({ count }) => count > 0)
    const code = run.code === 0 && hasFailed ? GATE_FAILED : run.code
    const result = {
      json: reportWithTests(summary),
      suite: runSummarySuite(summary, run),
      markdown: runSummaryMarkdown(summary, run),
    }
    writeReports(report, result, code !== 0, io)
    if (inspect) await untilKey(sandbox, io)
    handleRecording(options.record, recordOnFailure !== undefined && code === 0, io)
    throw new Exit(code)
  },
})

/** Keeps or deletes the recording. Users should know that it contains what the command sent. */
function handleRecording(file: string | undefined, isDropped: boolean, { cwd, talk }: Io): void {
  if (file === undefined) return
  if (isDropped) deleteRecording(resolve(cwd, file))
  // Nothing of it could be written; the sandbox has said why.
  if (!statSync(resolve(cwd, file), { throwIfNoEntry: false })?.size) return
  talk(`The recording ${shortPath(file, cwd)} contains requests and responses with their bodies.\n`)
  talk(`  petstore-sandbox replay ${shellWord(shortPath(file, cwd))}\n`)
}

function readGates(list: string, before: readonly GateName[] = []): readonly GateName[] {
  const gates = list.split(',').map((name) => readWord(...GATE_NAMES)(name.trim()))
  return [...new Set([...before, ...gates])]
}

async function runIn(
  sandbox: Sandbox,
  runChild: ReturnType<typeof childRunner>,
  words: readonly string[],
  plan: string,
  token: string | undefined,
  { env, talk }: Io,
): Promise<Omit<CommandRun, 'command'>> {
  const began = Date.now()
  const { code, problem } = await runChild(words, {
    ...env,
    PETSTORE_BASE_URL: sandbox.baseUrl,
    PETSTORE_API_KEY: sandbox.key(plan),
    PETSTORE_SANDBOX_URL: sandboxOrigin(sandbox.controlUrl),
    ...(token !== undefined && { PETSTORE_SANDBOX_CONTROL_TOKEN: token }),
  })
  if (problem !== undefined) talk(`petstore-sandbox: ${printableLines(problem)}\n`)
  return { code, at: iso(began), ms: Date.now() - began }
}

/** The report, with the findings of each test if tests are known. */
const reportWithTests = ({ report, tests }: RunSummary): object =>
  tests.length > 0 ? { ...report, tests: tests.map(({ first, others, ...test }) => test) } : report

/** Prints tables to a terminal, and a few lines to a log. */
function showSummary(
  { report, gates, backoff, tests }: RunSummary,
  { talk, talkPaint, talkColumns, talksToTerminal, annotate }: Io,
): void {
  talk(`\n${talksToTerminal ? reportText(report, talkPaint, talkColumns) : shortReport(report)}`)
  talk(`${backoffText(backoff)}${testsText(tests)}${gatesText(gates, talkPaint)}`)
  annotate?.(annotations(tests, gates))
}
