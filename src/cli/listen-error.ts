import { UsageError } from '../config/usage-error.ts'

/** What to tell when a sandbox cannot listen; any other error as it is. */
export async function explainListenError(error: unknown, host: string, port: number): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    const holder = await holderOf(host, port)
    return new UsageError(
      `Port ${port} of ${host} is taken by ${holder}. End that, or take another port: --port 0 takes any free one`,
    )
  }
  if (code === 'EACCES') {
    return new UsageError(
      `Port ${port} of ${host} may not be used by this user. Take one from 1024 on: --port 4010`,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new UsageError(
      `--host: "${host}" is not an address of this machine (${code}); use one such as localhost or 0.0.0.0`,
    )
  }
  return error
}

/** A sandbox on a busy machine may need a while; a program that says nothing is not waited for longer. */
const PATIENCE_MS = 3000

/** Who holds the port: often a sandbox that was forgotten. */
async function holderOf(host: string, port: number): Promise<string> {
  const otherwise = `another program (lsof -i :${port} may name it)`
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  try {
    const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}/_sandbox/health`
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const { status, version } = (await response.json()) as { status?: string; version?: string }
    return status === 'ok' && version ? `another petstore-sandbox (${version})` : otherwise
  } catch {
    return otherwise
  }
}
