import { effect, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Refusal, standing } from '../data/api.ts'
import { point } from '../data/point.ts'

/** The command line that equals what has the focus or is under the pointer. */
export const shownCommand = signal('')
/** The text copied last, shown for a moment. */
export const copied = signal('')
/** The last refusal of the sandbox, and the place that asked. */
export const refusal = signal<{ readonly place: string; readonly message: string } | undefined>(undefined)

// A refusal while the sandbox was away is cleared once it is back.
effect(() => {
  if (standing.value.state === 'live') refusal.value = undefined
})

export async function copy(text: string): Promise<void> {
  // Browsers have it for localhost and https only.
  if (navigator.clipboard) await navigator.clipboard.writeText(text)
  else copySelected(text)
  copied.value = text
  setTimeout(() => {
    if (copied.value === text) copied.value = ''
  }, 1500)
}

function copySelected(text: string): void {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.className = 'unseen'
  field.value = text
  // Elements outside an open dialog take no focus.
  ;(document.querySelector('dialog[open]') ?? document.body).append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!isCopied) throw new Error('The browser does not let the page copy here. Select the text, and copy it.')
}

/** Carries something out; what is refused is said at `place`. */
export async function attempt(place: string, run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    if (refusal.value?.place === place) refusal.value = undefined
    return true
  } catch (error) {
    const message = error instanceof Refusal || error instanceof Error ? error.message : String(error)
    refusal.value = { place, message }
    return false
  }
}

export const Refused = ({ place }: { place: string }) =>
  refusal.value?.place === place ? (
    <p class="refused" role="alert">
      {refusal.value.message}
    </p>
  ) : null

interface ActProps {
  /** The command line that it equals. */
  readonly command: string
  readonly run: () => unknown
  readonly place?: string
  readonly children: ComponentChildren
  readonly class?: string
  readonly disabled?: boolean
  readonly label?: string
  /** Also where the page shows what was; what acts on now does not. */
  readonly always?: boolean
}

/** A button that shows the command that it equals, at the foot of the page. */
export function Act({
  command,
  run,
  place = 'page',
  children,
  class: name = '',
  disabled,
  label,
  always,
}: ActProps) {
  const show = () => {
    shownCommand.value = command
  }
  return (
    <button
      type="button"
      class={`act ${name}`}
      disabled={disabled || (!always && point.value !== undefined)}
      aria-label={label}
      data-command={command}
      onFocus={show}
      onPointerEnter={show}
      onClick={() => {
        show()
        void attempt(place, async () => run())
      }}
    >
      {children}
    </button>
  )
}

/** A button that copies a text; the foot shows the text. */
export const Copy = ({ text, children }: { text: string; children: ComponentChildren }) => (
  <button
    type="button"
    class="act"
    data-copies={text}
    onFocus={() => {
      shownCommand.value = text
    }}
    onPointerEnter={() => {
      shownCommand.value = text
    }}
    onClick={() => void attempt('page', () => copy(text))}
  >
    {copied.value === text && text !== '' ? 'copied' : children}
  </button>
)
