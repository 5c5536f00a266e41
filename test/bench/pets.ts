import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'

/** The number of pets in a page of the list. */
export const PAGE = 20
/** The pets with this status are the last ones, so that a filter has to pass all others. */
export const RARE = { status: 'sold', count: 50 } as const

const CHUNK = 10_000

/** Writes a fixture of one page, which is also a database of json-server. */
export const writePage = (file: string): void =>
  writeFileSync(file, JSON.stringify({ pets: pets(1, PAGE, PAGE) }))

/** Writes a data file with that many pets. */
export function writeDataFile(file: string, count: number): void {
  const handle = openSync(file, 'w')
  writeSync(handle, '{"version":1,"namespaces":{"default":{"pets":[\n')
  for (let first = 1; first <= count; first += CHUNK) {
    const last = Math.min(first + CHUNK - 1, count)
    const lines = pets(first, last, count).map((pet) => JSON.stringify(pet))
    writeSync(handle, lines.join(',\n') + (last < count ? ',\n' : '\n'))
  }
  writeSync(handle, `],"nextId":${count + 1},"keys":[]}}}\n`)
  closeSync(handle)
}

const pets = (first: number, last: number, count: number): object[] =>
  Array.from({ length: last - first + 1 }, (_, index) => pet(first + index, count))

const pet = (id: number, count: number): object => ({
  id,
  name: `Pet ${id}`,
  categoryId: 1 + (id % 7),
  status: id > count - RARE.count ? RARE.status : id % 2 ? 'available' : 'pending',
})
