import { readFile } from 'node:fs/promises'
import { jsonOf } from '../../contract/openapi/json.ts'
import type { RecordShape } from '../../contract/openapi/record-shape.ts'
import type { Slices } from '../../time/slices.ts'
import type { StoredNamespace } from '../../world/stored.ts'
import { DataFileAdapter } from './data-file.ts'
import { PetReader } from './validation.ts'

/**
 * All namespaces of a data file, read as at a start; undefined if the file is not a data file. Rejects with a
 * DataFileError.
 */
export async function validateDataFile(
  file: string,
  shape: RecordShape,
  slices: Slices,
): Promise<ReadonlyMap<string, StoredNamespace> | undefined> {
  const text = await readFile(file, 'utf8')
  if (!text.includes('"namespaces"')) return undefined
  const value = jsonOf(text.replace(/^\uFEFF/, ''))
  const isDataFile = typeof value === 'object' && value !== null && 'namespaces' in value
  return isDataFile
    ? (await new DataFileAdapter(file, new PetReader(shape), slices).read())?.namespaces
    : undefined
}
