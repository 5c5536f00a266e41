/** The height of a row, and the tallest list that every browser can draw, in pixels. */
export const ROW = 26
export const HEIGHT = 8_000_000

export interface Room {
  /** How many rows there are. */
  readonly total: number
  /** How much of the list is seen, in pixels. */
  readonly height: number
}

/** The number of rows that are drawn. */
export const shownRows = ({ height }: Room): number => Math.ceil(height / ROW) + 1

const isScaled = ({ total }: Room): boolean => total * ROW > HEIGHT
const lastFirst = ({ total, height }: Room): number => Math.max(0, total - Math.floor(height / ROW))

/**
 * The first row that is seen. A list that is taller than a browser can draw is drawn shorter: its scrollbar then
 * stands for a share of the rows.
 */
export function firstRow(top: number, room: Room): number {
  if (!isScaled(room)) return Math.max(0, Math.min(Math.floor(top / ROW), room.total - 1))
  const share = Math.min(1, Math.max(0, top) / (HEIGHT - room.height))
  return Math.round(share * lastFirst(room))
}

/** Where the scrollbar stands for a first row. */
export const topOf = (first: number, room: Room): number =>
  isScaled(room) ? (first / lastFirst(room)) * (HEIGHT - room.height) : first * ROW

/** The row that a turn of the wheel leads to; undefined where the browser scrolls by itself. */
export function wheelTo(first: number, delta: number, room: Room): number | undefined {
  if (!isScaled(room)) return undefined
  const rows = Math.sign(delta) * Math.max(1, Math.round(Math.abs(delta) / ROW))
  return Math.min(lastFirst(room), Math.max(0, first + rows))
}
