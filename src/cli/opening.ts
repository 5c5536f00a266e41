import { clearReadyFile, writeReadyFile } from './ready-file.ts'
import { explained } from './taken-port.ts'

/** What is served, as far as a start tells of it. */
export interface Opened {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly port: number
  close(): Promise<void>
}

interface Place {
  readonly host?: string
  readonly port?: number
}

/** Opens what listens, explains why where it cannot, and writes the ready file where there is to be one. */
export async function opening<T extends Opened>(
  open: () => Promise<T>,
  { host = 'localhost', port = 4010 }: Place,
  readyFile: string | undefined,
): Promise<T> {
  if (readyFile === undefined) return tried(open, host, port)
  clearReadyFile(readyFile)
  const opened = await tried(open, host, port)
  try {
    writeReadyFile(readyFile, eventLine(opened))
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function tried<T>(open: () => Promise<T>, host: string, port: number): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw await explained(error, host, port)
  }
}

/** One line of JSON: for `--log json` and for the ready file. */
export const eventLine = ({ baseUrl, controlUrl, port }: Opened): string =>
  `${JSON.stringify({ event: 'ready', baseUrl, controlUrl, port, pid: process.pid })}\n`
