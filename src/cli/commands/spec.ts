import { type Command, Option } from 'commander'
import { createSandbox } from '../../sandbox.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { addStartOptions, startOptions } from '../start-options.ts'

export function register(command: Command, io: Io): void {
  addStartOptions(command, ['decisions', 'limits', 'strict', 'overlay', 'now', 'port', 'config'])
    .addOption(
      new Option('--format <format>', 'form of the document').choices(['yaml', 'json']).default('yaml'),
    )
    .action(async ({ format, ...flags }: { readonly format: string }) => {
      const { options } = await startOptions(flags, io)
      // No pets are needed, and a data file may be in use.
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
    'spec --now 2030-12-05T00:00:00Z',
  )
}
