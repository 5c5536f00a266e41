import type { Exchange } from '../domain/exchange.ts'
import { plural } from '../domain/plural.ts'
import { jsonLine, line } from './line.ts'
import { coloursFor } from './paint.ts'

export type LogStyle = 'pretty' | 'json' | 'silent'

/** How much may wait for a reader that does not keep up, in bytes. */
const BACKLOG = 1024 * 1024

/** Writes each exchange as it happens: for people, as JSON, or not at all. */
export function createLog(
  style: LogStyle,
  stream: 'stdout' | 'stderr' = 'stdout',
): (exchange: Exchange) => void {
  if (style === 'silent') return () => {}
  const isJson = style === 'json'
  const write = bounded(process[stream], (dropped) =>
    isJson
      ? JSON.stringify({ event: 'dropped', lines: dropped })
      : `… ${plural(dropped, 'line')} dropped: nobody read ${stream}`,
  )
  const paint = coloursFor(stream)
  return (exchange) => write(() => (isJson ? jsonLine(exchange) : line(exchange, paint)))
}

/** Writes lines as long as somebody reads them, and afterwards one that says how many it dropped. */
function bounded(
  stream: NodeJS.WriteStream,
  tell: (dropped: number) => string,
): (line: () => string) => void {
  let dropped = 0
  const writeLine = (text: string) => stream.write(`${text}\n`)
  return (line) => {
    if (stream.writableLength <= BACKLOG) {
      writeLine(line())
      return
    }
    dropped++
    if (dropped > 1) return
    stream.once('drain', () => {
      writeLine(tell(dropped))
      dropped = 0
    })
  }
}
