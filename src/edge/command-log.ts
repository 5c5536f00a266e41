import { RecordingReader } from '../past/parse-recording.ts'
import { ApiError } from '../world/api-error.ts'
import type { Sql } from './runtime.ts'

/** The longest text in a row: SQLite in a Durable Object allows 2 MB, and a character takes at most three bytes. */
const MAX_CHARACTERS = 512 * 1024

const LAST_ROW = 'SELECT max(row) AS row FROM (SELECT row FROM log UNION ALL SELECT row FROM checkpoint)'
const CHECKPOINTS = 'SELECT row, command FROM checkpoint WHERE part = 0 ORDER BY row'

const LENGTH = 'SELECT sum(length(lines)) AS length FROM log WHERE row > ?'

const TABLES = [
  'log (row INTEGER PRIMARY KEY, lines TEXT NOT NULL)',
  'checkpoint (row INTEGER, part INTEGER, command INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (row, part))',
]

export type CommandLog = ReturnType<typeof openCommandLog>

/** The stored commands from which a world is restored. */
export type StoredCommands = NonNullable<ReturnType<CommandLog['read']>>

/**
 * The commands of one world as lines of a recording, with the two newest checkpoints as first lines. The older
 * checkpoint is kept so that the history of a restored world is long enough.
 */
export function openCommandLog(sql: Sql) {
  // Reading a world stores nothing, not even tables.
  let isThere = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'log'").toArray().length > 0
  let isClosed = false
  let lastRow = (isThere && sql.exec<{ row: number | null }>(LAST_ROW).toArray()[0]?.row) || 0

  /** Oldest first. */
  const readCheckpoints = () => sql.exec<{ row: number; command: number }>(CHECKPOINTS).toArray()

  function textOf(query: string, row: number): string {
    const rows = sql.exec<{ text: string }>(query, row).toArray()
    return rows.map(({ text }) => text).join('')
  }

  return {
    /** Undefined if nothing is stored. Throws a RecordingError if it cannot be read. */
    read() {
      if (!isThere) return undefined
      const checkpoints = readCheckpoints()
      const [oldest] = checkpoints
      if (!oldest) return undefined
      const reader = new RecordingReader(Infinity)
      reader.read(textOf('SELECT text FROM checkpoint WHERE row = ? ORDER BY part', oldest.row))
      const lines = textOf('SELECT lines AS text FROM log WHERE row > ? ORDER BY row', oldest.row)
      for (const line of lines.split('\n')) if (line !== '') reader.read(line)
      const newest = checkpoints.at(-1) ?? oldest
      return {
        /** The state of the oldest checkpoint and all commands since. */
        recording: reader.recording,
        /** The number of the last command before that checkpoint. */
        command: oldest.command,
        /** The number of the last command before the newest checkpoint. */
        newest: newest.command,
        /** The number of characters since then. */
        characters: sql.exec<{ length: number | null }>(LENGTH, newest.row).toArray()[0]?.length ?? 0,
      }
    },
    /** The number of the last row, after which a checkpoint can begin. */
    end: () => lastRow,
    /** The world was dropped or replaced: commands that still wait in it are refused. */
    close: () => {
      isClosed = true
    },
    append(lines: string): void {
      if (isClosed)
        throw new ApiError('service_unavailable', 'The namespace was dropped or replaced meanwhile.')
      for (const text of piecesOf(lines))
        sql.exec('INSERT INTO log (row, lines) VALUES (?, ?)', ++lastRow, text)
    },
    /**
     * Stores a checkpoint of the state after row `row`. `isAlone`: nothing before it is kept. Returns the number of the
     * last command before the oldest checkpoint.
     */
    checkpoint(row: number, command: number, text: string, isAlone: boolean): number {
      if (!isThere) for (const table of TABLES) sql.exec(`CREATE TABLE ${table}`)
      isThere = true
      const before = isAlone ? undefined : readCheckpoints().findLast((each) => each.row < row)
      const oldest = before ?? { row, command }
      sql.exec('DELETE FROM checkpoint WHERE row < ? OR row = ?', oldest.row, row)
      sql.exec('DELETE FROM log WHERE row <= ?', oldest.row)
      for (const [part, piece] of [...piecesOf(text)].entries())
        sql.exec('INSERT INTO checkpoint VALUES (?, ?, ?, ?)', row, part, command, piece)
      return oldest.command
    },
  }
}

/** Deletes the stored commands. */
export function clearCommandLog(sql: Sql): void {
  for (const table of ['log', 'checkpoint']) sql.exec(`DROP TABLE ${table}`)
}

/** Splits a text into parts that fit a row. */
export function* piecesOf(text: string): Generator<string> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + MAX_CHARACTERS
    // Keeps both halves of a surrogate pair together.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end--
    yield text.slice(at, end)
  }
}
