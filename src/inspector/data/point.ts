import { signal } from '@preact/signals'
import { world } from './location.ts'

/** A request, before which everything on the page is shown; undefined = now. */
export interface PointInTime {
  readonly id: string
  /** By the clock of the world, in milliseconds. */
  readonly at: number
}

export const point = signal<PointInTime | undefined>(undefined)

/** The query of a call that reads what the page shows: of the world that the address names, as it is or was. */
export const shown = () => ({
  namespace: world.value,
  ...(point.value && { at: point.value.id, side: 'before' as const }),
})
