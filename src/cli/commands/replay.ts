import { resolve } from 'node:path'
import { openReplay } from '../../compose/replay.ts'
import { UsageError } from '../../config/usage-error.ts'
import { readyLine } from '../../views/banner.ts'
import { replayText } from '../../views/replay.ts'
import { command } from '../command.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import { AGAINST, refuseWithoutService, runAgainst } from '../replay-against.ts'
import { printReplay } from '../replay-output.ts'
import { REPORTS } from '../report-files.ts'
import { endUnread, untilStopped } from '../signals.ts'
import { ENVIRONMENT, startOptions, startTakes } from '../start-options.ts'
import { startup } from '../startup.ts'

export const replay = command({
  takes: {
    '<file>': 'a recording, as start, exec and createSandbox make one with --record',
    '--until <request>': 'go no further than this command (a number) or request (req_000007)',
    '--json': 'print the result as JSON',
    ...REPORTS,
    ...AGAINST,
    ...startTakes(
      ['port', 'host', 'log', 'readyFile', 'controlToken'],
      { port: 'none: it ends' },
      { port: 'serve on from there, on this port; 0 = any free one' },
    ),
  },
  notes: [ENVIRONMENT],
  examples: [
    'replay run.jsonl.gz',
    'replay run.jsonl.gz --until req_000007 --port 4010',
    'replay run.jsonl.gz --json --report junit=replay.xml',
    'replay run.jsonl.gz --against http://localhost:8080/v1 --key psk_pro=SERVICE_KEY',
  ],
  async run({ file: name, until, json, report = [], ...given }, io) {
    const file = resolve(io.cwd, name)
    const { port, against, key, paced, yes, ...others } = given
    if (against !== undefined) {
      if (port !== undefined) throw new UsageError(BOTH)
      return runAgainst({ name, file, until, json, report, against, key, paced, yes }, io)
    }
    refuseWithoutService(given)
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
  },
})

const BOTH = '--port serves on from here, and --against sends elsewhere; give one of the two'

function pick<T extends object, Name extends keyof T>(values: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(
    names.filter((name) => name in values).map((name) => [name, values[name]]),
  ) as Pick<T, Name>
}
