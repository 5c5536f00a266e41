import type { SandboxFetch } from '../../src/http/fetch.ts'
import type { Sent } from './commands.ts'

/** Sends requests, so many at a time as a client with several connections does, and reads their replies. */
export async function play(fetch: SandboxFetch, requests: readonly Sent[], atOnce = 4): Promise<void> {
  const rest = requests[Symbol.iterator]()
  const worker = async () => {
    for (const { path, init } of rest)
      await fetch(path, init)
        .then((response) => response.text())
        .catch(() => {})
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
