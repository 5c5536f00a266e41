import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Contender, PEERS } from './contenders.ts'
import { isNodeMajor, type NodeMajor } from './packages.ts'
import { ROWS, type RowName } from './rows/rows.ts'

export interface Arguments {
  readonly rows: readonly RowName[]
  readonly peers: readonly Contender[]
  readonly major: NodeMajor
  readonly base: string | undefined
  readonly quick: boolean
  readonly json: string | undefined
  readonly markdown: string | undefined
}

const ROW_NAMES = Object.keys(ROWS) as RowName[]

export const USAGE = `npm run bench -- [options]

  --only <rows>      some of: ${ROW_NAMES.join(',')}
  --peers <names>    all (default), none, or some of: ${PEERS.map(({ name }) => name).join(',')}
  --node <major>     20, 22 or 24 (default): what runs every server
  --base <folder>    another build of the sandbox, such as one of an earlier commit, beside it
  --quick            a short look at whether everything works; its figures mean little
  --json <file>      writes the result with every single figure
  --markdown <file>  writes the result to be read`

/** Throws an Error with a message for the user. */
export function readArguments(args: string[]): Arguments {
  const text = { type: 'string' } as const
  const options = {
    only: text,
    peers: text,
    node: text,
    base: text,
    json: text,
    markdown: text,
    quick: { type: 'boolean' },
  } as const
  const {
    only,
    peers = 'all',
    node = '24',
    base,
    json,
    markdown,
    quick = false,
  } = parseArgs({ args, options }).values
  if (!isNodeMajor(node)) throw new Error(`--node ${node}: one of 20, 22 and 24.`)
  return {
    rows: only === undefined ? ROW_NAMES : some(only, ROW_NAMES, (name) => name),
    peers: peers === 'all' ? PEERS : peers === 'none' ? [] : some(peers, PEERS, ({ name }) => name),
    major: Number(node) as NodeMajor,
    base: base && resolve(base),
    quick,
    json,
    markdown,
  }
}

/** The items with these names, or whose names begin with them. */
const some = <Item>(text: string, items: readonly Item[], nameOf: (item: Item) => string): Item[] =>
  text.split(',').flatMap((named) => {
    const exactly = items.filter((item) => nameOf(item) === named)
    const found = exactly.length > 0 ? exactly : items.filter((item) => beginsWith(nameOf(item), named))
    if (found.length === 0) throw new Error(`${named}: none of ${items.map(nameOf).join(', ')}.`)
    return found
  })

const beginsWith = (name: string, beginning: string): boolean =>
  name.toLowerCase().startsWith(beginning.toLowerCase())
