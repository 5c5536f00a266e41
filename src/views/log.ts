import chalk, { type ChalkInstance } from 'chalk'
import type { Exchange } from '../domain/exchange.ts'
import { jsonLine, line, type Paint } from './line.ts'

export type LogStyle = 'pretty' | 'json' | 'silent'

/** Writes each exchange as it happens: for people, as JSON, or not at all. */
export function createLog(
  style: LogStyle,
  write: (text: string) => void = toStdout,
): (exchange: Exchange) => void {
  if (style === 'silent') return () => {}
  if (style === 'json') return (exchange) => write(`${jsonLine(exchange)}\n`)
  const paint = paintFor(chalk)
  return (exchange) => write(`${line(exchange, paint)}\n`)
}

const paintFor = ({ dim, green, yellow, red }: ChalkInstance): Paint => ({
  dim,
  good: green,
  warn: yellow,
  bad: red,
})

const toStdout = (text: string): void => {
  process.stdout.write(text)
}
