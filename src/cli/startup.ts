import { explainListenError } from './listen-error.ts'
import { clearReadyFile, writeReadyFile } from './ready-file.ts'

/** What is served, as far as a start tells of it. */
export interface Started {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly port: number
  close(): Promise<void>
}

interface Address {
  readonly host?: string
  readonly port?: number
}

/** Opens what listens, explains why where it cannot, and writes the ready file where there is to be one. */
export async function startup<T extends Started>(
  open: () => Promise<T>,
  { host = 'localhost', port = 4010 }: Address,
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
    throw await explainListenError(error, host, port)
  }
}

/** One line of JSON: for `--log json` and for the ready file. */
export const eventLine = ({ baseUrl, controlUrl, port }: Started): string =>
  `${JSON.stringify({ event: 'ready', baseUrl, controlUrl, port, pid: process.pid })}\n`
