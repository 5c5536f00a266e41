import { signal } from '@preact/signals'
import { seenKeys } from './journal.ts'

export const chosen = signal<string | undefined>(undefined)

/** The key that the instruments act on and whose quota the timeline draws. */
export const chosenKey = (): string => chosen.value ?? seenKeys.value[0] ?? 'psk_free'
