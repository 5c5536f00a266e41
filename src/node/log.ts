import type { ResetPart } from '../contract/generated/control.types.d.ts'
import { plural } from '../text/plural.ts'
import { escapeCommands } from '../text/workflow-commands.ts'
import { iso } from '../time/instant.ts'
import { exchangeLine, jsonLine } from '../views/exchange-line.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import { coloursFor } from './paint.ts'

export type LogStyle = 'pretty' | 'json' | 'silent'

/** The most output to buffer for a slow reader, in bytes. */
const BACKLOG = 1024 * 1024

/** Logs requests, and the parts of a world that control calls change: as text, as JSON (requests only), or not at all. */
export function createLog(style: LogStyle, name: 'stdout' | 'stderr' = 'stdout') {
  if (style === 'silent') return { exchange: () => {}, change: () => {} }
  const stream = process[name]
  if (style === 'json') {
    const write = bounded(stream, (dropped) => JSON.stringify({ event: 'dropped', lines: dropped }))
    return { exchange: (exchange: Exchange) => write(() => jsonLine(exchange)), change: () => {} }
  }
  const paint = coloursFor(name)
  const droppedLine = (dropped: number) =>
    `… ${plural(dropped, 'line')} dropped: ${name} was not read fast enough`
  const write = bounded(stream, droppedLine)
  return {
    // Some terminals report 0 columns.
    exchange: (exchange: Exchange) => write(() => exchangeLine(exchange, paint, stream.columns || undefined)),
    change: (world: World, changed: readonly ResetPart[]) =>
      write(() => paint.dim(changeLine(world, changed, Date.now()))),
  }
}

/** Writes lines while the reader keeps up; drops the others, and reports their number later. */
function bounded(stream: NodeJS.WriteStream, lineFor: (dropped: number) => string) {
  let dropped = 0
  const safe = process.env.GITHUB_ACTIONS ? escapeCommands : (text: string) => text
  const writeLine = (text: string) => stream.write(`${safe(text)}\n`)
  return (line: () => string): void => {
    if (stream.writableLength <= BACKLOG) {
      writeLine(line())
      return
    }
    dropped++
    if (dropped > 1) return
    stream.once('drain', () => {
      writeLine(lineFor(dropped))
      dropped = 0
    })
  }
}

/** `12:34:56.000 control  clock 2030-12-05T00:00:00.000Z frozen, limits`. `real`: real time, in milliseconds. */
export function changeLine(world: World, changed: readonly ResetPart[], real: number): string {
  const now = iso(world.now(real))
  const where = world.name === 'default' ? '' : ` [${world.name}]`
  const parts = changed.map((part) => `${part}${stateOf(part, world, now)}`)
  return `${now.slice(11, 23)} control ${parts.join(', ')}${where}`
}

function stateOf(part: ResetPart, { collections, clock, faults }: World, now: string): string {
  if (part === 'pets') return ` ${collections.pets.size}`
  if (part === 'faults') return ` ${faults.list().length}`
  return part === 'clock' ? ` ${now}${clock.frozen ? ' frozen' : ''}` : ''
}
