import { signal } from '@preact/signals'

/** Shows or hides the help. */
export const toggleHelp = (): void => {
  document.getElementById('help')?.togglePopover()
}

/** The name of the open instrument, on narrow screens that show one at a time. */
export const instrument = signal('')
