// Adds pets until the disk is full; prints the confirmed ids, the error codes and the warnings.

import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { openFileStore } from '../../../src/node/store/file-store.ts'
import { slices } from '../../../src/node/turns.ts'
import { changer } from './changer.ts'
import { create, Model } from './model.ts'

const [file = ''] = process.argv.slice(2)
const model = new Model()
const warnings: string[] = []
const warn = (message: string): void => void warnings.push(message)
const store = await openFileStore(file, { warn, petShape: animalStoreContract().petShape, slices })
store.connect(model.view)
const change = changer(store, model)
const confirmed: number[] = []
const codes = new Set<string>()
for (let id = 1; id <= 2000; id++) {
  try {
    await change(create(id))
    confirmed.push(id)
  } catch (error) {
    codes.add((error as { code: string }).code)
  }
}
console.log(JSON.stringify({ confirmed, codes: [...codes], warnings }))
process.kill(process.pid, 'SIGKILL')
