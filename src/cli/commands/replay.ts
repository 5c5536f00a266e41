import { resolve } from 'node:path'
import { openReplay } from '../../compose/replay.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Replay } from '../../past/difference.ts'
import { printableLines } from '../../text/printable.ts'
import { formatDuration } from '../../time/duration.ts'
import { iso, SECOND } from '../../time/instant.ts'
import { replayAgainst } from '../../tools/replay/replay-against.ts'
import { serviceReplayText } from '../../tools/replay/service-requests.ts'
import { readyLine } from '../../views/banner.ts'
import { markdownCode } from '../../views/markdown.ts'
import { replaySuite, replayText } from '../../views/replay.ts'
import { isOnThisMachine, refuseBaseUrl } from '../base-url.ts'
import { command, type Given } from '../command.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { REPORTS, type ReportFile, writeReports } from '../report-files.ts'
import { endUnread, untilStopped } from '../signals.ts'
import { ENVIRONMENT, pick, startOptions, startTakes } from '../start-options.ts'
import { startup } from '../startup.ts'

interface KeyFlag {
  readonly key: string
  /** The name of an environment variable. */
  readonly variable: string
}

type AgainstFlags = Given<typeof AGAINST>

const AGAINST = {
  '--against <baseUrl>': {
    summary: 'send the requests to this service instead, and compare its replies',
    conflicts: ['port'],
  },
  '--key <key=variable>': {
    summary:
      'with --against: replace a recorded key by that in an environment variable, such as psk_pro=SERVICE_KEY; repeatable',
    read: (text: string, before: readonly KeyFlag[] = []) => [...before, readKeyFlag(text)],
  },
  '--paced': 'with --against: wait between requests as long as in the recording',
  '--yes': 'with --against: allow a service on another machine',
}

export const replay = command({
  takes: {
    '<file>': 'a recording (.jsonl or .jsonl.gz), or a .har file saved by a browser',
    '--until <request>': 'stop after this command (a number) or request (req_000007)',
    '--json': 'print the result as JSON',
    ...REPORTS,
    ...AGAINST,
    ...startTakes(
      ['port', 'host', 'log', 'readyFile', 'controlToken'],
      { port: 'exit after the replay' },
      { port: 'after the replay, serve the sandbox on this port; 0 = any free port' },
    ),
  },
  notes: [ENVIRONMENT],
  examples: [
    'replay run.jsonl.gz',
    'replay run.jsonl.gz --until req_000007 --port 4010',
    'replay run.jsonl.gz --json --report junit=replay.xml',
    'replay shop.har --port 4010',
    'replay run.jsonl.gz --against http://localhost:8080/v1 --key psk_pro=SERVICE_KEY',
  ],
  async run({ file: name, until, json, report = [], ...given }, io) {
    const file = resolve(io.cwd, name)
    const { port, against, key, paced, yes, ...others } = given
    if (against !== undefined)
      return runAgainst({ name, file, until, json, report, against, key, paced, yes }, io)
    refuseWithoutService(given)
    const isServing = port !== undefined
    const { options, readyFile } = await startOptions(
      { ...others, port: port ?? '0', config: undefined },
      io,
      { log: 'silent' },
    )
    const serving = pick(options, ['port', 'host', 'log', 'controlToken'])
    const stopped = isServing ? untilStopped() : undefined
    const open = async () => {
      const end = until === undefined ? {} : { until }
      const { sandbox, result } = await openReplay(file, end, { ...serving, listen: isServing })
      const { baseUrl, controlUrl, port } = sandbox
      return { baseUrl, controlUrl, port, result, close: () => sandbox.close() }
    }
    const { baseUrl, result, close } = await startup(open, serving, readyFile)
    printReplay(result, replayText(result), { name, json, report }, io)
    if (stopped) {
      io.out(`${readyLine(baseUrl)}\n`)
      await stopped
    }
    await close()
    if (stopped) endUnread()
    else if (result.difference) throw new Exit(GATE_FAILED)
  },
})

interface ReplayOutput {
  /** The argument that names the recording. */
  readonly name: string
  readonly json?: boolean | undefined
  readonly report: readonly ReportFile[]
}

/** Prints the result of a replay and writes its reports. `text`: the result for people. */
function printReplay(result: Replay, text: string, { name, json, report }: ReplayOutput, io: Io): void {
  const suite = () => replaySuite(name, result, iso(Date.now()))
  const hasFailed = result.difference !== undefined
  writeReports(report, { json: result, suite, markdown: () => markdownCode(text) }, hasFailed, io)
  io.out(json ? `${JSON.stringify(result)}\n` : printableLines(text))
}

/** Refuses options that need `--against` without it. */
function refuseWithoutService({ against, key, paced, yes }: AgainstFlags): void {
  const named = [key && '--key', paced && '--paced', yes && '--yes'].find(Boolean)
  if (against === undefined && named)
    throw new UsageError(`${named} needs another service`, 'name it with --against <baseUrl>')
}

interface Against extends AgainstFlags, ReplayOutput {
  readonly against: string
  readonly file: string
  readonly until?: string | undefined
}

/** Carries out `replay <file> --against <baseUrl>`. */
async function runAgainst(flags: Against, io: Io): Promise<void> {
  const { file, against, key = [], paced, yes, until } = flags
  refuseBaseUrl(against)
  if (!yes && !isOnThisMachine(against))
    throw new UsageError(
      `"${against}" is on another machine, and the requests may change its data`,
      'add --yes to allow it',
    )
  const result = await replayAgainst(file, against, {
    keys: new Map(key.map((each) => [each.key, keyIn(each, io)])),
    ...(until !== undefined && { until }),
    ...(paced && { paced }),
    onWait(milliseconds) {
      if (milliseconds >= SECOND) io.talk(`Waiting ${formatDuration(milliseconds)}, as recorded\n`)
    },
  })
  printReplay(result, serviceReplayText(result), flags, io)
  if (result.difference) throw new Exit(GATE_FAILED)
}

/** A user may put a key after the equals sign by mistake: no message repeats that text. */
function readKeyFlag(text: string): KeyFlag {
  const [, key = '', variable = ''] = /^([^=]+)=\$?([A-Za-z_]\w*)$/.exec(text) ?? []
  if (variable !== '') return { key, variable }
  throw new UsageError(
    '--key: this is not a key of the recording and the name of an environment variable',
    'use both, such as psk_pro=SERVICE_KEY',
  )
}

function keyIn({ key, variable }: KeyFlag, { env }: Io): string {
  const value = env[variable]
  if (value === undefined || value === '') {
    throw new UsageError(
      `--key ${key}=…: there is no environment variable of that name, or it is empty`,
      `give its name, not the key: ${key}=SERVICE_KEY or '${key}=$SERVICE_KEY' in quotes`,
    )
  }
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new UsageError(
      `--key ${key}=${variable}: its value is not one word of visible ASCII characters`,
      'set it to the key alone',
    )
  return value
}
