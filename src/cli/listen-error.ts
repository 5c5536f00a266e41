import { UsageError } from '../config/usage-error.ts'

/** A UsageError that explains why the sandbox cannot listen; any other error unchanged. */
export async function explainListenError(error: unknown, host: string, port: number): Promise<unknown> {
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    const holder = await holderOf(host, port)
    return new UsageError(
      `Port ${port} of ${host} is in use by ${holder}`,
      'Stop that program, or use another port: --port 0 takes any free one',
    )
  }
  if (code === 'EACCES' && path === undefined) {
    return new UsageError(
      `There is no permission to listen on port ${port} of ${host}`,
      'Use a port from 1024 on: --port 4010',
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new UsageError(
      `--host: "${host}" is not an address of this machine (${code})`,
      'use one such as localhost or 0.0.0.0',
    )
  }
  return error
}

/** How long a sandbox on a busy machine may take to answer. */
const TIMEOUT_MS = 3000

/** The program that uses the port, which is often another sandbox. */
async function holderOf(host: string, port: number): Promise<string> {
  const otherwise = `another program (find it with lsof -i :${port})`
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  try {
    const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}/_sandbox/health`
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const { status, version } = (await response.json()) as { status?: string; version?: string }
    return status === 'ok' && version ? `another petstore-sandbox (${version})` : otherwise
  } catch {
    return otherwise
  }
}
