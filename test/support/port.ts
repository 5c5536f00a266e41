import { createServer } from 'node:net'

/**
 * The system gives ports from 32,768 or 49,152 on to connections and to servers on port 0, so that a lower one is still
 * free when it is used. Other workers begin elsewhere.
 */
let next = 20_000 + Math.floor(Math.random() * 10_000)

/** A port that nothing listens on, of these in their order, or else any. */
export const freePort = ([first = next++, ...others]: number[] = []): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(first, '127.0.0.1', () => server.close(() => resolve(first)))
    server.on('error', () => resolve(freePort(others)))
  })
