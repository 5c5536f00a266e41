import type { Processes, Target, Tool } from './tool.ts'

const URL_PROPERTY = {
  url: { type: 'string', description: 'Another sandbox to use from now on, such as http://localhost:4010.' },
}

/** Finds the sandbox; on stdio another one can be used, started and stopped. */
export function sandboxTools(processes: Processes | undefined): readonly Tool[] {
  const find: Tool = {
    name: 'find_sandbox',
    title: 'Find the sandbox',
    description: 'Tells whether a sandbox is running and where: base URL, version, namespaces, keys.',
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
    'Starts a sandbox in memory that ends together with this server, and uses it from now on. Use find_sandbox first: one may be running.',
  properties: () => ({
    port: { type: 'integer', minimum: 0, maximum: 65535, description: 'Any free port unless given.' },
    fixture: { type: 'string', description: 'The name of a fixture that ships, such as busy.' },
    now: { type: 'string', description: 'Where its clock starts, such as 2030-12-04T23:59:50Z.' },
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
  description: 'Stops the sandbox that start_sandbox started; no other.',
  properties: () => ({}),
  run: async () => ({ stopped: await processes.stop() }),
})
