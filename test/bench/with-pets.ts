import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, SANDBOX, UNHINDERED } from './contenders.ts'
import { writeDataFile } from './pets.ts'
import { SCRATCH } from './scratch.ts'

/** The name of the data file in the folder of the sandbox. */
export const DATA_FILE = 'data.json'

export interface WithPets extends Contender {
  /** The data file, of which each start gets a copy. */
  readonly original: string
}

/** The sandbox with a data file of that many pets. */
export function withPets(count: number): WithPets {
  const original = join(SCRATCH, `${count}.json`)
  if (!existsSync(original)) writeDataFile(original, count)
  return {
    ...SANDBOX,
    name: `with ${count.toLocaleString('en')} pets`,
    original,
    underLoad: ({ folder }) => {
      copyFileSync(original, join(folder, DATA_FILE))
      return ['--db', DATA_FILE, ...UNHINDERED]
    },
  }
}
