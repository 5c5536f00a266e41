import { signal } from '@preact/signals'

/** Which panels are open. */
export const helpOpen = signal(false)
export const instrumentsOpen = signal(false)
export const ruleOpen = signal(false)
