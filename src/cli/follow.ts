import type { ControlClient } from '../client/control.ts'
import type { JournalEntry } from '../contract/generated/control.types.d.ts'
import { parseJson } from '../contract/openapi/json.ts'
import { printableJson } from '../text/printable.ts'
import { entryLine } from '../views/exchange-line.ts'
import { wrapLine } from '../views/wrap.ts'
import type { Io } from './io.ts'

export interface FollowFilter {
  readonly status?: string
  readonly operation?: string
  readonly json?: boolean | undefined
}

/** Prints requests as they happen, one a line, until the sandbox ends, the user interrupts or the output is closed. */
export async function followRequests(client: ControlClient, wanted: FollowFilter, io: Io): Promise<void> {
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  process.stdout.once('error', interrupt)
  try {
    for await (const { event, data } of client.events(interrupted.signal)) {
      if (event !== 'request') continue
      const entry = parseJson(data) as JournalEntry
      if (isWanted(entry, wanted))
        io.out(wanted.json ? `${printableJson(data)}\n` : `${wrapLine(lineOf(entry, io), io.columns, 4)}\n`)
    }
    io.talk('The sandbox has ended.\n')
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    process.stdout.off('error', interrupt)
  }
}

const isWanted = ({ status, operationId }: JournalEntry, wanted: FollowFilter): boolean =>
  (wanted.status === undefined || status === Number(wanted.status)) &&
  (wanted.operation === undefined || operationId === wanted.operation)

function lineOf(entry: JournalEntry, { paint, columns }: Io): string {
  const left = entry.response.headers['x-ratelimit-remaining']
  return entryLine(entry, left === undefined ? undefined : Number(left), paint, columns)
}
