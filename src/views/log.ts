import type { Exchange } from '../domain/exchange.ts'
import { iso } from '../domain/instant.ts'
import type { ResetPart } from '../domain/reset.ts'
import type { World } from '../domain/world.ts'
import { jsonLine, line } from './line.ts'
import { coloursFor } from './paint.ts'
import { wrapLine } from './wrap.ts'

/** Below the method, behind the time. */
const INDENT = 13

export type LogStyle = 'pretty' | 'json' | 'silent'

/** Writes each exchange as it happens: for people, as JSON, or not at all. */
export function createLog(
  style: LogStyle,
  stream: 'stdout' | 'stderr' = 'stdout',
): (exchange: Exchange) => void {
  if (style === 'silent') return () => {}
  const write = (text: string) => process[stream].write(`${text}\n`)
  if (style === 'json') return (exchange) => write(jsonLine(exchange))
  const paint = coloursFor(stream)
  return (exchange) => {
    const { columns } = process[stream]
    write(wrapLine(line(exchange, paint, columns), columns, INDENT))
  }
}

/** What a control call has changed in a world. */
export type ChangeLog = (world: World, changed: readonly ResetPart[]) => void

/** Writes what control calls change, dimmed, so that people see who moved the clock; `json` holds requests only. */
export function createChangeLog(style: LogStyle, stream: 'stdout' | 'stderr' = 'stdout'): ChangeLog {
  if (style !== 'pretty') return () => {}
  const paint = coloursFor(stream)
  return (world, changed) => process[stream].write(`${paint.dim(changeLine(world, changed, Date.now()))}\n`)
}

/** `12:34:56.000 control  clock 2030-12-05T00:00:00.000Z frozen, limits`. `real`: real time, in milliseconds. */
export function changeLine(world: World, changed: readonly ResetPart[], real: number): string {
  const now = iso(world.now(real))
  const where = world.name === 'default' ? '' : ` [${world.name}]`
  const parts = changed.map((part) => `${part}${stateOf(part, world, now)}`)
  return `${now.slice(11, 23)} control ${parts.join(', ')}${where}`
}

function stateOf(part: ResetPart, { shelves, clock, faults }: World, now: string): string {
  if (part === 'pets') return ` ${shelves.pets.visible.size}`
  if (part === 'faults') return ` ${faults.list().length}`
  return part === 'clock' ? ` ${now}${clock.frozen ? ' frozen' : ''}` : ''
}
