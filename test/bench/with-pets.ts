import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, SANDBOX, UNHINDERED } from './contenders.ts'
import { writeDataFile } from './pets.ts'
import { SCRATCH } from './scratch.ts'

/** In the folder of the sandbox. */
export const DATA_FILE = 'data.json'

export interface WithPets extends Contender {
  /** The data file that each start gets a copy of. */
  readonly original: string
}

/** The sandbox on a data file with that many pets. */
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
