import { validators } from '../contract/generated/recording.validators.js'
import type { PetTable } from '../world/pets/collection.ts'
import { type Int64, nextIdOf } from '../world/pets/pet.ts'
import { RecordingError, type RecordingHead } from './recording.ts'

/** Throws a RecordingError if a recording begins with a state that no sandbox can have. */
export function checkStart({ start }: RecordingHead): void {
  const refuse = (path: string, reason: string) => {
    const place = `start${path.replaceAll('/', '.')}`
    throw new RecordingError(`The state in its first line is not valid: ${place} ${reason}`, 'record again')
  }
  const validate = validators.start as Validator
  if (!validate(start)) {
    const { instancePath = '', message = 'is not valid' } = validate.errors?.[0] ?? {}
    refuse(instancePath, message)
  }
  for (const [path, table] of tablesOf(start)) {
    let last: Int64 = -1
    for (const { id } of table.pets) {
      if (id <= last) refuse(`${path}/pets`, 'must be sorted by id')
      last = id
    }
    const nextId = nextIdOf(table.nextId)
    if (nextId === undefined || nextId <= last)
      refuse(`${path}/nextId`, 'must be an integer (int64) greater than every id')
  }
}

type Validator = NonNullable<(typeof validators)[string]>

function* tablesOf({ fixture, namespaces }: RecordingHead['start']): Generator<[path: string, PetTable]> {
  yield ['/fixture', fixture]
  for (const [name, { pets, empty, snapshots = [] }] of Object.entries(namespaces)) {
    const path = `/namespaces/${name}`
    if (pets) yield [`${path}/pets`, pets]
    if (empty) yield [`${path}/empty`, empty]
    for (const snapshot of snapshots) yield [`${path}/snapshots/${snapshot.name}`, snapshot]
  }
}
