import type { ResetPart } from '../contract/generated/control.types.d.ts'
import { plural } from '../text/plural.ts'
import { escapeCommands } from '../text/workflow-commands.ts'
import { iso } from '../time/instant.ts'
import { exchangeLine, jsonLine } from '../views/exchange-line.ts'
import { wrapLine } from '../views/wrap.ts'
import type { Exchange } from '../world/traffic/exchange.ts'
import type { World } from '../world/world.ts'
import { coloursFor } from './paint.ts'

/** Aligns notes with the column of the method. */
const INDENT = 13

export type LogStyle = 'pretty' | 'json' | 'silent'
type Output = 'stdout' | 'stderr'

/** The most output to buffer for a slow reader, in bytes. */
const BACKLOG = 1024 * 1024

/** Writes each exchange as it happens: for people, as JSON, or not at all. */
export function createLog(style: LogStyle, stream: Output = 'stdout'): (exchange: Exchange) => void {
  if (style === 'silent') return () => {}
  const isJson = style === 'json'
  const droppedJson = (dropped: number) => JSON.stringify({ event: 'dropped', lines: dropped })
  const write = bounded(process[stream], isJson ? droppedJson : droppedLine(stream))
  const paint = coloursFor(stream)
  return (exchange) =>
    write(() => {
      if (isJson) return jsonLine(exchange)
      const { columns } = process[stream]
      return wrapLine(exchangeLine(exchange, paint, columns), columns, INDENT)
    })
}

const droppedLine = (stream: string) => (dropped: number) =>
  `… ${plural(dropped, 'line')} dropped: ${stream} was not read fast enough`

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

/** Logs what a control call has changed in a world. */
export type LogChange = (world: World, changed: readonly ResetPart[]) => void

/** Logs the changes of control calls, dimmed, in the style `pretty` only: JSON lines are requests. */
export function createChangeLog(style: LogStyle, stream: Output = 'stdout'): LogChange {
  if (style !== 'pretty') return () => {}
  const paint = coloursFor(stream)
  const write = bounded(process[stream], droppedLine(stream))
  return (world, changed) => write(() => paint.dim(changeLine(world, changed, Date.now())))
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
