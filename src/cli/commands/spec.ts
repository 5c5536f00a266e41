import { createSandbox } from '../../compose/sandbox.ts'
import { command } from '../command.ts'
import { address, askedOf } from '../remote.ts'
import { ENVIRONMENT, startOptions, startTakes } from '../start-options.ts'

export const spec = command({
  takes: {
    ...address('print the document of a running sandbox'),
    ...startTakes(['decisions', 'limits', 'strict', 'overlay', 'now', 'port', 'config']),
    '--format <format>': { summary: 'format of the document', choices: ['yaml', 'json'], default: 'yaml' },
  },
  notes: [ENVIRONMENT],
  examples: [
    'spec > openapi.yaml',
    'spec --format json --set list.limit=clamp',
    'spec --url http://localhost:4010',
  ],
  async run({ format, ...given }, io) {
    const { client, others } = askedOf(given, io)
    if (client) return io.out(`${(await client.document(`/openapi.${format}`)).trimEnd()}\n`)
    const { options } = await startOptions(others, io)
    // In memory: pets are not needed, and the data file may be locked.
    await using sandbox = await createSandbox({
      ...options,
      db: undefined,
      fixture: 'empty',
      log: 'silent',
      listen: false,
    })
    const response = await sandbox.fetch(`/openapi.${format}`)
    io.out(`${(await response.text()).trimEnd()}\n`)
  },
})
