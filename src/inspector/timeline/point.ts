import { signal } from '@preact/signals'

/** A request, before which everything on the page is shown; undefined = now. */
export interface Point {
  readonly id: string
  /** By the clock of the world, in milliseconds. */
  readonly at: number
}

export const point = signal<Point | undefined>(undefined)

/** What a call that only reads adds to its query, to be told what was then. */
export const asOf = (): { at?: string; side?: 'before' } =>
  point.value ? { at: point.value.id, side: 'before' } : {}
