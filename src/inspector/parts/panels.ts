import { signal } from '@preact/signals'

/** Shows the keys of the page, or hides them. */
export const toggleHelp = (): void => {
  document.getElementById('help')?.togglePopover()
}

/** The instrument that is open where all of them are one line. */
export const instrument = signal('')
