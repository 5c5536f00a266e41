import type { Command } from 'commander'
import { ControlError } from '../../client/control-error.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Times } from '../../contract/generated/control.types.d.ts'
import { parseJson } from '../../contract/openapi/json.ts'
import { plural } from '../../text/plural.ts'
import { printable } from '../../views/exchange-line.ts'
import { Exit, GATE_FAILED } from '../exit-code.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { keyAddress } from '../key-address.ts'
import { onlyKnown, remote } from '../remote.ts'

interface VerifyFlags {
  readonly operation?: string
  readonly method?: string
  readonly path?: string
  readonly status?: string
  readonly key?: string
  readonly body?: string
  readonly times?: string
  readonly within?: string
  readonly json?: boolean
}

export function register(command: Command, io: Io): void {
  command
    .option('--operation <operationId>', 'only requests of this operation, such as createPet')
    .option('--method <method>', 'only those with this method')
    .option('--path <path>', 'only those to this path; a trailing * matches anything')
    .option('--status <status>', 'only those that got this status; 0 = none')
    .option('--key <key>', 'only those with this API key')
    .option('--body <json>', 'only those whose body has at least these members')
    .option(
      '--times <count>',
      'how often, such as "exactly 1", "at least 2" or "at most 3" (default: at least 1)',
    )
    .option('--within <duration>', 'wait up to this time, in real time, such as 5s; at most 60s')
  remote<VerifyFlags>(command, io, async (connected, flags) => {
    // A client that is waited for may be about to create the namespace.
    const given = flags.within === undefined ? onlyKnown(connected) : connected
    const { client, key } = keyAddress(given, flags.key)
    const { operation: operationId, method, path, status, body, times = 'at least 1', within } = flags
    const match = {
      ...(operationId !== undefined && { operationId }),
      ...(method !== undefined && { method }),
      ...(path !== undefined && { path }),
      ...(status !== undefined && { status: statusOf(status) }),
      ...(key !== undefined && { key }),
      ...(body !== undefined && { body: bodyOf(body) }),
    }
    try {
      const answer = await client.call('POST', '/requests/verify', {
        body: { match, times: timesOf(times), ...(within !== undefined && { within }) },
        ...(within !== undefined && { waits: LONGEST_WAIT }),
      })
      const { matched } = answer.value
      return { answer, people: `Passed: ${plural(matched, 'matching request')}.\n` }
    } catch (error) {
      if (!(error instanceof ControlError) || error.code !== 'verification_failed') throw error
      io.talk(flags.json ? `${JSON.stringify({ ...error.body, fix: FIX })}\n` : failureText(error, io))
      throw new Exit(GATE_FAILED)
    }
  })
  addExamples(
    command,
    'verify --operation createPet --status 201 --times "exactly 1"',
    `verify --operation createPet --body '{"name":"Kit"}'`,
    'verify --operation createPet --within 5s',
    'verify --status 429 --times "exactly 0" --namespace worker-1',
  )
}

/** The most that the sandbox allows, in milliseconds. */
const LONGEST_WAIT = 60_000

const FIX = 'Compare the nearest requests with what was expected'

const WORDS: Readonly<Record<string, string>> = {
  exactly: 'exactly',
  atleast: 'atLeast',
  atmost: 'atMost',
}

/** `exactly 1`, `at least 2`, `atMost 3`; a number alone is exact. */
function timesOf(text: string): Times {
  const [, words = '', count = ''] = /^([a-z\s-]*)(\d+)$/i.exec(text.trim()) ?? []
  const kind = WORDS[words.toLowerCase().replace(/[\s-]/g, '') || 'exactly']
  if (kind !== undefined && count !== '') return { [kind]: Number(count) }
  throw new UsageError(
    `--times: "${text}" is not a valid count`,
    'use "exactly 1", "at least 1" or "at most 1"',
  )
}

function statusOf(text: string): number {
  if (/^(0|[1-5]\d\d)$/.test(text)) return Number(text)
  throw new UsageError(
    `--status: "${text}" is not a valid status`,
    'use one such as 201, or 0 for no response',
  )
}

function bodyOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new UsageError(
      `--body: this is not JSON: ${(error as Error).message}`,
      'Use an object such as {"name":"Kit"}',
    )
  }
}

interface Near {
  readonly id: string
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
}

function failureText({ body, message }: ControlError, { talkPaint }: Io): string {
  const { nearest = [] } = body as unknown as { nearest?: readonly Near[] }
  const lines = nearest.map(
    ({ id, at, method, path, status }) => `  ${at} ${id} ${method} ${printable(path)} ${status}\n`,
  )
  return `${talkPaint.bad('petstore-sandbox:')} ${message}\n${lines.length > 0 ? 'Nearest:\n' : ''}${lines.join('')}`
}
