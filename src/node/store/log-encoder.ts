import { crc32 } from 'node:zlib'
import { recordText } from '../../contract/openapi/record-shape.ts'
import type { Pets } from '../../world/pets/collection.ts'
import type { Change, StoredNamespace } from '../../world/stored.ts'
import { type Position, sealed } from './log-chain.ts'

/** A change as the next line of the log, and the position after it. */
export function changeText({ seq, mark }: Position, change: Change): Position & { readonly text: string } {
  const body = `{"seq":${seq + 1},"namespace":${JSON.stringify(change.namespace)},"op":"${change.op}"${membersOf(change)}`
  const next = crc32(body, mark)
  return { seq: seq + 1, mark: next, text: sealed(body, next) }
}

/** The members of a change behind its name. */
function membersOf(change: Change): string {
  switch (change.op) {
    case 'create':
    case 'update':
      return `,"shelf":"${change.collection}","pet":${change.json}`
    case 'delete':
      return `,"shelf":"${change.collection}","id":${change.id}`
    case 'keys':
      return `,"keys":${JSON.stringify(change.keys)}`
    case 'replace':
      return `,"state":{${stateText(change.state)}}`
    case 'drop':
      return `,"at":${Date.now()}`
  }
}

const stateText = ({ pets, empty, keys }: StoredNamespace): string =>
  `${petsText(pets)}${empty ? `,"empty":{${petsText(empty)}}` : ''},"keys":${JSON.stringify(keys)}`

const petsText = (pets: Pets): string =>
  `"pets":[${Array.from(pets.values(), recordText).join(',')}],"nextId":${pets.nextId}`
