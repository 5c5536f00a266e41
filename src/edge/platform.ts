import { webPlatform } from '../compose/web-platform.ts'
import { parseJson, stringifyJson } from '../contract/openapi/json.ts'
import { VERSION } from '../contract/version.ts'
import { ApiError } from '../world/api-error.ts'
import { createMemoryStore } from '../world/memory-store.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import { piecesOf } from './command-log.ts'
import type { Host } from './durable-core.ts'
import type { Fetcher, Sql } from './runtime.ts'

/** The parts of a world that differ from those in Node. */
export function platformOf(sql: Sql, assets: Fetcher | undefined): Pick<Host, 'platform' | 'store'> {
  const platform = webPlatform()
  return {
    platform: {
      ...platform,
      hasOneNamespace: true,
      ...(assets && { page: pageFrom(assets) }),
      generate: remembered(sql, platform.generate),
    },
    store: createMemoryStore(checkSaved),
  }
}

/** The files of the inspector, which are assets of the Worker. */
const pageFrom =
  (assets: Fetcher): Host['platform']['page'] =>
  async (name) => {
    const response = await assets.fetch(`http://assets/${name}`)
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined
  }

type Generate = NonNullable<Host['platform']['generate']>

/** Fewer pets are generated about as fast as they are read. */
const MIN_STORED = 1000

/** Stores the last large set of generated pets: generating takes six times as long as reading. */
const remembered =
  (sql: Sql, generate: Generate): Generate =>
  async (shape, request) => {
    if (request.count < MIN_STORED) return generate(shape, request)
    const name = JSON.stringify([VERSION, request])
    sql.exec('CREATE TABLE IF NOT EXISTS generated (part INTEGER PRIMARY KEY, name TEXT, text TEXT)')
    const found = sql.exec<{ text: string }>('SELECT text FROM generated WHERE name = ? ORDER BY part', name)
    const text = found.toArray().map((row) => row.text)
    if (text.length > 0) return parseJson(text.join('')) as CompleteFixture
    const made = await generate(shape, request)
    sql.exec('DELETE FROM generated')
    for (const piece of piecesOf(stringifyJson(made)))
      sql.exec('INSERT INTO generated (name, text) VALUES (?, ?)', name, piece)
    return made
  }

/** The limit of pets in all snapshots of a world: every checkpoint contains all of them. */
const MAX_SAVED = 100_000

function checkSaved(pets: number): void {
  if (pets <= MAX_SAVED) return
  throw new ApiError(
    'service_unavailable',
    'The snapshots of a namespace have at most 100,000 pets together in a Durable Object. Delete one with petstore-sandbox snapshot delete <name> or DELETE /_sandbox/snapshots/{name}.',
  )
}
