import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/folder.ts'

/** Changes to schemas of the contract, by schema name. */
export type SchemaChanges = Readonly<Record<string, object>>

/** Writes an overlay file with these changes. */
export const withOverlay = (changes: SchemaChanges): string =>
  withActions(
    Object.entries(changes).map(([name, update]) => ({ target: `$.components.schemas.${name}`, update })),
  )

/** Writes an overlay file with these actions. */
export function withActions(actions: readonly object[]): string {
  const file = join(temporaryFolder(), 'overlay.json')
  const info = { title: 'More about a pet', version: '1.0.0' }
  writeFileSync(file, JSON.stringify({ overlay: '1.0.0', info, actions }))
  return file
}
