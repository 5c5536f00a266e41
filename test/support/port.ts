import { type AddressInfo, createServer } from 'node:net'

/** A port that nothing listens on, of these in their order. */
export const freePort = ([first = 0, ...others]: number[] = []): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(first, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
    server.on('error', () => resolve(freePort(others)))
  })
