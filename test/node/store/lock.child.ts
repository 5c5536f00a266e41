// Opens the data file, prints whether that succeeded, and holds it until its input ends. With a second argument it is told
// by its input when to do that.

import { once } from 'node:events'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { openFileStore } from '../../../src/node/store/file-store.ts'
import { slices } from '../../../src/node/turns.ts'

const [file = '', waits] = process.argv.slice(2)
if (waits) {
  console.log('waits')
  const [startAt] = await once(process.stdin, 'data')
  while (Date.now() < Number(startAt));
}
try {
  const store = await openFileStore(file, {
    warn: () => {},
    petShape: animalStoreContract().petShape,
    slices,
  })
  console.log('holds')
  process.stdin.resume().on('end', () => void store.close(100))
} catch (error) {
  console.log(`${(error as Error).name}: ${(error as Error).message}`)
}
