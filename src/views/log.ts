import type { Exchange } from '../domain/exchange.ts'
import { jsonLine, line } from './line.ts'
import { coloursFor } from './paint.ts'

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
  return (exchange) => write(line(exchange, paint))
}
