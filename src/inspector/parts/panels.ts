import { signal } from '@preact/signals'

/** Which panels are open. */
export const helpOpen = signal(false)
/** The instrument that is open where all of them are one line. */
export const instrument = signal('')
