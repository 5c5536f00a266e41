import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { asOwn } from '../data/acts.ts'
import { point } from '../data/location.ts'

/** The text copied last, shown for a moment. */
export const copied = signal('')
/** The last refusal of the sandbox, and the place that asked. */
export const refusal = signal<{ readonly place: string; readonly message: string } | undefined>(undefined)

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
  ;(document.querySelector('dialog[open], :popover-open') ?? document.body).append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!isCopied) throw new Error('The browser does not let the page copy here. Select the text, and copy it.')
}

/** Carries something out; what is refused is said at `place`. */
export async function attempt(place: string, run: () => unknown): Promise<void> {
  try {
    await asOwn(async () => run())
    if (refusal.value?.place === place) refusal.value = undefined
  } catch (error) {
    refusal.value = { place, message: error instanceof Error ? error.message : String(error) }
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
  readonly type?: 'submit'
}

/** A button that shows the command that it equals, at the foot of the page. */
export const Act = ({ command, run, place = 'page', children, label, always, type, ...rest }: ActProps) => (
  <button
    type={type ?? 'button'}
    class={`b ${rest.class ?? ''}`}
    disabled={rest.disabled === true || (!always && point.value !== undefined)}
    aria-label={label}
    data-command={command}
    onClick={(event) => {
      event.preventDefault()
      void attempt(place, run)
    }}
  >
    {children}
  </button>
)

/** A button that copies a text; the foot shows the text. */
export const Copy = ({
  text,
  children = 'Copy',
  class: name = '',
}: {
  text: string
  children?: ComponentChildren
  class?: string
}) => (
  <button
    type="button"
    class={`b ${name}`}
    data-command={text}
    onClick={() => void attempt('page', () => copy(text))}
  >
    {copied.value === text && text !== '' ? 'copied' : children}
  </button>
)

/** Declines a question that was asked in place. */
export const Keep = ({ asked }: { asked: Signal<boolean> }) => (
  <button
    type="button"
    class="b text small"
    onClick={() => {
      asked.value = false
    }}
  >
    Keep
  </button>
)
