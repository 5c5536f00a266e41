import { explainListenError } from './listen-error.ts'
import { clearReadyFile, writeReadyFile } from './ready-file.ts'

/** A started server: the facts of its ready line and ready file. */
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

/** Starts a server, explains why it cannot listen, and writes the ready file if requested. */
export async function startup<T extends Started>(
  open: () => Promise<T>,
  { host = 'localhost', port = 4010 }: Address,
  readyFile: string | undefined,
): Promise<T> {
  if (readyFile === undefined) return explained(open, host, port)
  clearReadyFile(readyFile)
  const opened = await explained(open, host, port)
  try {
    writeReadyFile(readyFile, eventLine(opened))
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function explained<T>(open: () => Promise<T>, host: string, port: number): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw await explainListenError(error, host, port)
  }
}

/** The ready event as a line of JSON, for `--log json` and the ready file. */
export const eventLine = ({ baseUrl, controlUrl, port }: Started): string =>
  `${JSON.stringify({ event: 'ready', baseUrl, controlUrl, port, pid: process.pid })}\n`
