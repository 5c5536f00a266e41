import { FIXTURE_NAMES } from '../node/files/load.ts'
import type { Processes, Target, Tool } from './tool.ts'

const URL_PROPERTY = {
  url: { type: 'string', description: 'The sandbox to use from now on, such as http://localhost:4010.' },
}

/** The tools that find the sandbox; on stdio also those that select, start and stop one. */
export function sandboxTools(processes: Processes | undefined): readonly Tool[] {
  const find: Tool = {
    name: 'find_sandbox',
    title: 'Find the sandbox',
    description: 'Returns whether a sandbox runs, and its base URL, version, namespaces and keys.',
    reads: true,
    properties: () => (processes ? URL_PROPERTY : {}),
    run: async (target, { url }) => {
      if (url !== undefined) processes?.use(String(url))
      return found(target)
    },
  }
  return processes ? [find, start(processes), stop(processes)] : [find]
}

async function found({ call, origin }: Target): Promise<object> {
  const { version } = (await call('GET', '/health')) as { version: string }
  const namespaces = await call('GET', '/namespaces')
  const keys = (await call('GET', '/keys')) as { key: string; plan: string; revoked: boolean }[]
  return {
    baseUrl: `${origin()}/v1`,
    inspector: `${origin()}/_sandbox/`,
    openapi: `${origin()}/openapi.json`,
    version,
    namespaces,
    keys: keys.filter(({ revoked }) => !revoked).map(({ key, plan }) => ({ key, plan })),
  }
}

const start = (processes: Processes): Tool => ({
  name: 'start_sandbox',
  title: 'Start a sandbox',
  description:
    'Starts a sandbox in memory and uses it from now on; it ends with this server. Call find_sandbox first: one may be running.',
  properties: () => ({
    port: { type: 'integer', minimum: 0, maximum: 65535, description: 'The port (default: any free one).' },
    fixture: { enum: FIXTURE_NAMES, description: 'A built-in fixture.' },
    now: { type: 'string', description: 'The start time of its clock, such as 2030-12-04T23:59:50Z.' },
    freeze: { type: 'boolean' },
  }),
  run: async (target, options) => {
    await processes.start(options)
    return found(target)
  },
})

const stop = (processes: Processes): Tool => ({
  name: 'stop_sandbox',
  title: 'Stop the sandbox',
  description: 'Stops the sandbox that start_sandbox started, and no other.',
  properties: () => ({}),
  run: async () => ({ stopped: await processes.stop() }),
})
