import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openReplay } from '../../compose/replay.ts'
import { UsageError } from '../../config/usage-error.ts'
import { readyLine } from '../../views/banner.ts'
import { replayText } from '../../views/replay.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { type AgainstFlags, addAgainstOptions, refuseWithoutService, runAgainst } from '../replay-against.ts'
import { printReplay } from '../replay-output.ts'
import { addReportOption, type ReportFile } from '../report-files.ts'
import { endUnread, untilStopped } from '../signals.ts'
import { addStartOptions, startOptions } from '../start-options.ts'
import { startup } from '../startup.ts'

interface ReplayFlags extends AgainstFlags {
  readonly until?: string
  readonly json?: boolean
  readonly report?: readonly ReportFile[]
  readonly port?: string
}

export function register(command: Command, io: Io): void {
  command
    .argument('<file>', 'a recording, as start, exec and createSandbox make one with --record')
    .option('--until <request>', 'go no further than this command (a number) or request (req_000007)')
    .option('--json', 'print the result as JSON')
  addReportOption(command)
  addAgainstOptions(command)
  addStartOptions(
    command,
    ['port', 'host', 'log', 'readyFile', 'controlToken'],
    { port: 'none: it ends' },
    { port: 'serve on from there, on this port; 0 = any free one' },
  ).action(async (name: string, { until, json, report = [], ...flags }: ReplayFlags) => {
    const file = resolve(io.cwd, name)
    const { port, against, key, paced, yes, ...others } = flags
    if (against !== undefined) {
      if (port !== undefined) throw new UsageError(BOTH)
      return runAgainst({ name, file, until, json, report, against, key, paced, yes }, io)
    }
    refuseWithoutService(flags)
    const isServing = port !== undefined
    const { options, readyFile } = await startOptions(
      { ...others, port: port ?? '0', config: undefined },
      io,
      { log: 'silent' },
    )
    const serving = pick(options, ['port', 'host', 'log', 'controlToken'])
    const stopped = isServing ? untilStopped() : undefined
    const open = () =>
      openReplay(file, { ...(until !== undefined && { until }) }, { ...serving, listen: isServing })
    let replayed: Awaited<ReturnType<typeof open>> | undefined
    const sandbox = await startup(
      async () => {
        replayed = await open()
        return replayed.sandbox
      },
      serving,
      readyFile,
    )
    const { result } = replayed as NonNullable<typeof replayed>
    printReplay(result, replayText(result), { name, json, report }, io)
    if (stopped) {
      io.out(`${readyLine(sandbox.baseUrl)}\n`)
      await stopped
    }
    await sandbox.close()
    if (stopped) endUnread()
    else if (result.difference) throw new Exit(GATE_FAILED)
  })
  addExamples(
    command,
    'replay run.jsonl.gz',
    'replay run.jsonl.gz --until req_000007 --port 4010',
    'replay run.jsonl.gz --json --report junit=replay.xml',
    'replay run.jsonl.gz --against http://localhost:8080/v1 --key psk_pro=SERVICE_KEY',
  )
}

const BOTH = '--port serves on from here, and --against sends elsewhere; give one of the two'

function pick<T extends object, Name extends keyof T>(values: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(
    names.filter((name) => name in values).map((name) => [name, values[name]]),
  ) as Pick<T, Name>
}
