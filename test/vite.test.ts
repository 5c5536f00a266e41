import { expect, it } from 'vitest'
import { type PetstoreSandboxOptions, petstoreSandbox } from '../src/vite.ts'

/** Starts the plugin in a server of Vite, as far as its options are read. */
const start = async (options: object) => {
  const { configureServer } = petstoreSandbox(options as PetstoreSandboxOptions)
  await (configureServer as (server: unknown) => Promise<void>)({ config: { root: '/' } })
}

it.each([
  [{ memry: true }, 'petstoreSandbox: there is no option "memry". Did you mean memory?'],
  [{ port: 4010 }, 'petstoreSandbox: there is no option "port"'],
  [{ listen: true }, 'petstoreSandbox: there is no option "listen"'],
  [{ overlay: 5 }, 'petstoreSandbox: overlay: 5 is not a valid text; use a text that is not empty'],
  [{ db: 5 }, 'petstoreSandbox: db: 5 is not a valid text; use a text that is not empty'],
  [
    { memory: true, db: 'a.json' },
    'petstoreSandbox: memory uses no data file, but db names a.json; use one of the two',
  ],
  [{ memory: 'maybe' }, 'petstoreSandbox: memory: "maybe" is neither true nor false'],
  [null as never, 'petstoreSandbox: null is not an object with options. Options: memory, path, url,'],
  [{ url: 'http://[' }, 'petstoreSandbox: "http://[" is not a valid url; use http://localhost:5173'],
])('refuses the options %j', async (options, message) => {
  await expect(start(options)).rejects.toThrow(message)
})

it.each([5, '', '/', 'api', '//host', '/v1', '/v1/pets', '/_sandbox'])(
  'refuses the path %j',
  async (path) => {
    await expect(start({ path })).rejects.toThrow(
      `petstoreSandbox: path cannot be "${path}"; use a prefix such as /api`,
    )
  },
)
