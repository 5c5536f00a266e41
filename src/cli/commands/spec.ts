import { type Command, Option } from 'commander'
import { createSandbox } from '../../compose/sandbox.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { addAddress, askedOf, type RemoteOptions } from '../remote.ts'
import { addStartOptions, startOptions } from '../start-options.ts'

export function register(command: Command, io: Io): void {
  addAddress(command, 'print that of the sandbox that runs there')
  addStartOptions(command, ['decisions', 'limits', 'strict', 'overlay', 'now', 'port', 'config'])
    .addOption(
      new Option('--format <format>', 'form of the document').choices(['yaml', 'json']).default('yaml'),
    )
    .action(async ({ format, ...flags }: Omit<RemoteOptions, 'json'> & { readonly format: string }) => {
      const { client, others } = askedOf(flags, io)
      if (client) return io.out(`${(await client.document(`/openapi.${format}`)).trimEnd()}\n`)
      const { options } = await startOptions(others, io)
      // Without a data file: no pets are needed, and the file may be locked.
      await using sandbox = await createSandbox({
        ...options,
        db: undefined,
        fixture: 'empty',
        log: 'silent',
        listen: false,
      })
      const response = await sandbox.fetch(`/openapi.${format}`)
      io.out(`${(await response.text()).trimEnd()}\n`)
    })
  addExamples(
    command,
    'spec > openapi.yaml',
    'spec --format json --set list.limit=clamp',
    'spec --url http://localhost:4010',
  )
}
