import type { Paint } from './exchange-line.ts'

/** Colours of the log, and emphasis for tables and banners. */
export interface Colours extends Paint {
  readonly strong: (text: string) => string
}
