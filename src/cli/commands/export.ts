import { type Command, Option } from 'commander'
import type { ControlClient } from '../../client/control.ts'
import { recordShapeOf } from '../../client/record-shape.ts'
import type { FixtureFormat } from '../../fixtures/parse.ts'
import { printableJson } from '../../text/printable.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { remote } from '../remote.ts'

interface ExportFlags {
  readonly format: FixtureFormat
}

export function register(command: Command, io: Io): void {
  command.addOption(
    new Option('--format <format>', 'format of the fixture, one pet per line; csv has the pets only')
      .choices(['json', 'yaml', 'csv'])
      .default('json'),
  )
  const action = async (
    client: ControlClient,
    { format, json }: ExportFlags & { readonly json?: boolean },
  ) => {
    const answer = await client.call('GET', '/export')
    if (json) return { answer, people: '' }
    const { serializeFixture } = await import('../../fixtures/serialize.ts')
    const text = await serializeFixture(answer.value, format, await recordShapeOf(client))
    return { answer, people: format === 'json' ? printableJson(text) : text }
  }
  remote(command, io, action, { reads: true, views: true })
  addExamples(command, 'export > pets.json', 'export --format csv --namespace worker-1 > pets.csv')
}
