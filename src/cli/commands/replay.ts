import { resolve } from 'node:path'
import { openReplay } from '../../compose/replay.ts'
import { isOnThisMachine, refuseBaseUrl } from '../../config/base-url.ts'
import { readSecret } from '../../config/readers.ts'
import { at, refuseWithout, UsageError } from '../../config/usage-error.ts'
import type { Replay } from '../../past/difference.ts'
import { InvalidValue } from '../../text/advised-error.ts'
import { printableLines } from '../../text/printable.ts'
import { formatDuration } from '../../time/duration.ts'
import { iso, SECOND } from '../../time/instant.ts'
import { replayAgainst } from '../../tools/replay/replay-against.ts'
import { serviceReplayText } from '../../tools/replay/service-requests.ts'
import { readyLine } from '../../views/banner.ts'
import { markdownCode } from '../../views/markdown.ts'
import { replaySuite, replayText } from '../../views/replay.ts'
import { command, type Given, type Io } from '../command.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import { checkReports, REPORTS, writeReports } from '../report-files.ts'
import { ENVIRONMENT, pick, startOptions, startTakes } from '../start-options.ts'
import { endUnread, eventLine, startup, stopSignal, untilStopped } from '../startup.ts'
import { jsonText } from '../values.ts'

/** A recorded key, and the name of the environment variable with the key that replaces it. */
type KeyFlag = readonly [key: string, variable: string]

const TAKES = {
  '<file>': 'a recording (.jsonl or .jsonl.gz), or a .har file saved by a browser',
  '--until <request>': 'stop after this command (a number) or request (req_000007)',
  '--json': 'print the result as JSON',
  ...REPORTS,
  '--against <baseUrl>': {
    summary: 'send the requests to this service instead, and compare its responses',
    conflicts: ['port', 'host'],
  },
  '--key <key=variable>': {
    summary:
      'with --against: replace a recorded key by that in an environment variable, such as psk_pro=SERVICE_KEY; repeatable',
    read: (text: string, before: readonly KeyFlag[] = []) => [...before, readKeyFlag(text)],
  },
  '--paced': 'with --against: wait between requests as long as in the recording',
  '--yes': 'with --against: allow a service on another machine',
  ...startTakes(
    ['port', 'host', 'log', 'readyFile', 'controlToken'],
    { port: 'exit after the replay', log: 'silent' },
    { port: 'after the replay, serve the sandbox on this port; 0 = any free port' },
  ),
}

type Flags = Given<typeof TAKES>

export const replay = command({
  takes: TAKES,
  notes: [ENVIRONMENT, 'They do not set --port of replay, and set --ready-file only if --port is given.'],
  examples: [
    'replay run.jsonl.gz',
    'replay run.jsonl.gz --until req_000007 --port 4010',
    'replay run.jsonl.gz --json --report junit=replay.xml',
    'replay shop.har --port 4010',
    'replay run.jsonl.gz --against http://localhost:8080/v1 --key psk_pro=SERVICE_KEY',
  ],
  async run(given, io) {
    const { port, host, until, against, key, paced, yes } = given
    checkReports(given.report, io, [given.file])
    const file = resolve(io.cwd, given.file)
    if (against !== undefined) return runAgainst(file, against, given, io)
    refuseWithout('--against <baseUrl>', { key, paced, yes })
    const isServing = port !== undefined
    if (!isServing) refuseWithout('--port <number>', { host })
    const flags = { ...given, port: port ?? '0', key: undefined }
    const { options, readyFile } = await startOptions(flags, io, { log: 'silent' })
    const serving = pick(options, ['port', 'host', 'log', 'controlToken'])
    const stopped = isServing ? untilStopped() : undefined
    const open = async () => {
      // Without a server, stdout has the result only.
      const logTo = isServing ? 'stdout' : 'stderr'
      const { sandbox, result } = await openReplay(file, { until }, { ...serving, listen: isServing }, logTo)
      const { baseUrl, controlUrl, port } = sandbox
      return { baseUrl, controlUrl, port, result, close: () => sandbox.close() }
    }
    const served = await startup(open, serving, isServing ? readyFile : given.readyFile)
    const { baseUrl, result, close } = served
    const isJson = given.json || options.log === 'json'
    try {
      printReplay(result, replayText(result), given, io)
      if (stopped) io.out(isJson ? eventLine(served) : `${readyLine(baseUrl)}\n`)
      await stopped
    } finally {
      await close()
    }
    if (stopped) endUnread()
    if (result.difference) throw new Exit(GATE_FAILED)
  },
})

/** Prints the result of a replay and writes its reports. `text`: the result for people. */
function printReplay(result: Replay, text: string, flags: Flags, io: Io, stopped?: string): void {
  const { file, json, report = [] } = flags
  const suite = replaySuite(file, result, iso(Date.now()), stopped)
  const hasFailed = result.difference !== undefined || stopped !== undefined
  writeReports(report, { json: result, suite, markdown: markdownCode(text) }, hasFailed, io)
  io.out(json ? jsonText(result) : printableLines(text))
}

async function runAgainst(file: string, against: string, flags: Flags, io: Io): Promise<void> {
  const { key = [], paced, yes, until } = flags
  refuseBaseUrl(against)
  if (!yes && !isOnThisMachine(against))
    throw new UsageError(
      `"${against}" is on another machine, and the requests may change its data`,
      'add --yes to allow it',
    )
  const signal = stopSignal()
  const result = await replayAgainst(file, against, {
    signal,
    keys: new Map(key.map((flag) => [flag[0], keyIn(flag, io)])),
    until,
    paced,
    onWait(milliseconds) {
      if (milliseconds >= SECOND) io.talk(`Waiting ${formatDuration(milliseconds)}, as recorded\n`)
    },
  })
  printReplay(result, serviceReplayText(result), flags, io, signal.reason?.message)
  signal.throwIfAborted()
  if (result.difference) throw new Exit(GATE_FAILED)
}

/** A user may put a key after the equals sign by mistake: no message repeats that text. */
function readKeyFlag(text: string): KeyFlag {
  const [, key = '', variable = ''] = /^([^=]+)=\$?([A-Za-z_]\w*)$/.exec(text) ?? []
  if (variable !== '') return [key, variable]
  const problem = 'this is not a key of the recording and the name of an environment variable'
  throw new InvalidValue(problem, 'use both, such as psk_pro=SERVICE_KEY')
}

function keyIn([key, variable]: KeyFlag, { env }: Io): string {
  const value = env[variable] ?? ''
  if (value === '')
    throw new UsageError(
      `--key ${key}=…: there is no environment variable of that name, or it is empty`,
      `give its name, not the key: ${key}=SERVICE_KEY or '${key}=$SERVICE_KEY' in quotes`,
    )
  return at(`--key ${key}=${variable}`, () => readSecret('API key')(value))
}
