/** The height of a row, and the tallest list that every browser can draw, in pixels. */
export const ROW = 25
export const HEIGHT = 10_000_000

export interface Room {
  /** How many rows there are. */
  readonly total: number
  /** How much of the list is seen, in pixels. */
  readonly height: number
}

/** The number of rows that are drawn. */
export const shownRows = ({ height }: Room): number => Math.ceil(height / ROW) + 1

/**
 * The first row that is seen. A list that is taller than a browser can draw is drawn shorter: its scrollbar then
 * stands for a share of the rows.
 */
export function firstRow(top: number, room: Room): number {
  const { total, height } = room
  if (total * ROW <= HEIGHT) return Math.max(0, Math.min(Math.floor(top / ROW), total - 1))
  const fitting = Math.floor(height / ROW)
  const share = Math.min(1, Math.max(0, top) / (HEIGHT - height))
  return Math.round(share * (total - fitting))
}
