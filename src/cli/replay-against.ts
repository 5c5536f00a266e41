import { replayAgainst } from '../compose/replay-against.ts'
import { UsageError } from '../config/usage-error.ts'
import { formatDuration } from '../time/duration.ts'
import { SECOND } from '../time/instant.ts'
import { serviceReplayText } from '../tools/replay/service-replay.ts'
import { isOnThisMachine, refuseBaseUrl } from './base-url.ts'
import type { Given } from './command.ts'
import { Exit, GATE_FAILED } from './exit-code.ts'
import type { Io } from './io.ts'
import { printReplay, type ReplayOutput } from './replay-output.ts'

interface KeyFlag {
  readonly key: string
  /** The name of an environment variable. */
  readonly variable: string
}

type AgainstFlags = Given<typeof AGAINST>

export const AGAINST = {
  '--against <baseUrl>': 'send its requests to this service instead, and compare the replies',
  '--key <key=variable>': {
    summary:
      'with --against: the environment variable with the key that stands for one of the recording, such as psk_pro=SERVICE_KEY; repeatable',
    read: (text: string, before: readonly KeyFlag[] = []) => [...before, readKeyFlag(text)],
  },
  '--paced': 'with --against: wait between the requests as long as was recorded',
  '--yes': 'with --against: send them to another machine',
}

/** Refuses options that belong to `--against` where it is missing. */
export function refuseWithoutService({ against, key, paced, yes }: AgainstFlags): void {
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
export async function runAgainst(flags: Against, io: Io): Promise<void> {
  const { file, against, key = [], paced, yes, until } = flags
  refuseBaseUrl(against)
  if (!yes && !isOnThisMachine(against))
    throw new UsageError(
      `"${against}" is another machine, which the recording may change`,
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

/** The text after the equals sign may be a key by mistake, so no message repeats it. */
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
