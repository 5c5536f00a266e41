import { signal } from '@preact/signals'

/** What is open of what can be opened and closed. */
export const helpOpen = signal(false)
export const instrumentsOpen = signal(false)
export const ruleOpen = signal(false)
