import { signal } from '@preact/signals'
import { type ButtonHTMLAttributes, type ComponentChildren, createContext, type HTMLAttributes } from 'preact'
import { useContext, useId, useMemo, useRef } from 'preact/hooks'
import { type Action, trackAction } from '../data/actions.ts'
import { hasShortcuts, refusal } from '../data/api.ts'
import { point } from '../data/location.ts'
import { press } from '../data/paced.ts'
import { visible } from '../text/text.ts'

/** The last copied text, for a moment. */
export const copied = signal<string>()

export async function copy(text: string): Promise<void> {
  // Browsers provide it for localhost and https only, and may refuse it.
  await (navigator.clipboard?.writeText(text) ?? Promise.reject()).catch(() => copySelected(text))
  copied.value = text
  setTimeout(() => {
    if (copied.value === text) copied.value = undefined
  }, 1500)
}

function copySelected(text: string): void {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.className = 'unseen'
  field.value = text
  // The foot of the page follows the focus, and still has to show this command.
  const hide = (event: Event) => event.stopPropagation()
  addEventListener('focusin', hide, true)
  try {
    // While a dialog is open, elements outside of it take no focus.
    ;(document.querySelector(':popover-open') ?? document.body).append(field)
    field.select()
    if (document.execCommand('copy')) return
  } finally {
    field.remove()
    if (focused instanceof HTMLElement) focused.focus()
    removeEventListener('focusin', hide, true)
  }
  throw new Error('The browser does not let the page copy here. Select the text, and copy it.')
}

/** Runs an action. An earlier refusal disappears; that of this action is shown at `place`. */
export function attempt(place: string, run: () => unknown): Promise<unknown> {
  refusal.value = undefined
  return read(place, run)
}

/** Reads what a place shows; undefined if it was refused. Only an earlier refusal of the same place disappears. */
export async function read<Value>(place: string, run: () => Value | Promise<Value>) {
  if (refusal.value?.place === place) refusal.value = undefined
  try {
    return await run()
  } catch (error) {
    refusal.value = { place, message: (error as Error).message }
    return undefined
  }
}

export const Refused = ({ message }: { message: string | undefined }) =>
  message ? (
    <p class="bad" role="alert">
      {visible(message)}
    </p>
  ) : null

/** A result, read aloud if it answers another question (`of`), and soon after a key, a click or an action. */
export function Result({ of, ...rest }: HTMLAttributes<HTMLSpanElement> & { readonly of?: unknown }) {
  const answered = useMemo(() => performance.now(), [of])
  const isSpoken = performance.now() - Math.max(press.at, answered) < 2000
  return <span role="status" aria-live={isSpoken ? 'polite' : 'off'} {...rest} />
}

const PlaceName = createContext('page')

/** A place that shows refusals of its actions at its end. */
export const Place = ({ name, children }: { name: string; children?: ComponentChildren }) => (
  <PlaceName.Provider value={name}>
    {children}
    {refusal.value?.place === name && <Refused message={refusal.value.message} />}
  </PlaceName.Provider>
)

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Its text; a text that contains elements is given as children. */
  readonly text?: string
  readonly run: () => unknown
  /** The command line for the same action, which the foot of the page shows. */
  readonly command?: string | undefined
}

/** A form that is sent again within this time, in milliseconds, was not meant to be sent twice. */
const REPEATED_MS = 500

/** A tap, and the second click of a double click, are not meant for what they have brought under the pointer. */
export function startClicks(): void {
  const meant = ({ target }: Event) => (target as Element).closest('button, a, [data-row]')
  let pressed: Element | null | undefined
  let first: Element | null | undefined
  let its: string | null | undefined
  // Only a tap hovers after its press. A screen reader may click without any press.
  const onPress = (event: PointerEvent) =>
    (pressed = event.pointerType === 'mouse' ? undefined : meant(event))
  const onClick = (event: MouseEvent) => {
    const clicked = meant(event)
    const line = clicked?.getAttribute('data-command')
    // Clicks of keys and scripts have the number 0.
    const isOther = event.detail > 0 && pressed !== undefined && clicked !== pressed
    pressed = undefined
    if (event.detail < 2) [first, its] = [clicked, line]
    // `previous` and `next` are drawn again with the same text.
    if (isOther || line !== its || (clicked !== first && clicked?.textContent !== first?.textContent)) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
  addEventListener('pointerdown', onPress, true)
  addEventListener('click', onClick, true)
}

export function Button({ text, run, command, class: classes = '', children, ...rest }: ButtonProps) {
  const place = useContext(PlaceName)
  const last = useRef({ command, at: -Infinity })
  return (
    <button
      type="button"
      {...rest}
      class={`b ${classes}`}
      data-command={command}
      onClick={(event) => {
        event.preventDefault()
        // A double click, or Enter twice, sends a form once.
        const isRepeated = command === last.current.command && event.timeStamp - last.current.at < REPEATED_MS
        last.current = { command, at: event.timeStamp }
        if (rest.type === 'submit' && isRepeated) return
        void attempt(place, run)
        // A menu closes after an action, but not because of a form.
        const chosen = event.currentTarget.closest('[data-done]')
        chosen?.closest<HTMLElement>('[popover]')?.hidePopover()
      }}
    >
      {text ?? children}
    </button>
  )
}

/** Disables a control that changes the present, while the page shows an earlier state. */
const pastOnly = () => point.value !== undefined && { disabled: true, title: 'An earlier state is shown' }

/** A button that changes something in the sandbox. `always`: also while the page shows an earlier state. */
export const ActionButton = ({ run, always, ...rest }: ButtonProps & { readonly always?: boolean }) => (
  <Button {...rest} run={() => trackAction(async () => run())} {...(!always && pastOnly())} />
)

/** A button that copies a text, which the foot shows. */
export const Copy = ({ text, class: classes }: { text: string; class?: string }) => (
  <Button
    class={classes}
    text={copied.value === text ? 'copied' : 'Copy'}
    command={text}
    run={() => copy(text)}
  />
)

/** A text in which a line ends after a space or a comma, and after no hyphen of an option. */
export const Unbroken = ({ text }: { text: string }) =>
  text.split(/(?<=[ ,])/).map((part, index) => [
    <span key={index} class="unbroken">
      {part.trimEnd()}
    </span>,
    part.endsWith(' ') && ' ',
  ])

/** A line to copy. */
export const Snippet = ({ name, ...line }: { name?: string; text: string; class?: string }) => (
  <p class="snippet">
    {name && <span class="quiet">{name}</span>}
    <code>
      <Unbroken text={visible(line.text)} />
    </code>
    <Copy {...line} />
  </p>
)

/** The key that does the same. */
export const Shortcut = ({ name }: { name: string }) => hasShortcuts.value && <kbd>{name}</kbd>

interface TabsProps<Name> {
  readonly tabs: readonly { readonly name: Name; readonly title: string; readonly command?: string }[]
  readonly shown: Name
  readonly show: (name: Name) => void
  /** The end of the row of tabs. */
  readonly children?: ComponentChildren
}

/** Tabs, of which one text is shown. */
export const Tabs = <Name extends string | number>({ tabs, shown, show, children }: TabsProps<Name>) => (
  <div class="tabs">
    {tabs.map(({ name, title, command }) => (
      <Button
        key={name}
        text={title}
        aria-pressed={name === shown}
        command={command}
        run={() => show(name)}
      />
    ))}
    <span class="push" />
    {children}
  </div>
)

interface MenuProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly text: ComponentChildren
  /** Whether its actions change the present. */
  readonly changes?: boolean
  readonly onOpen?: () => void
}

/** A button that opens a panel beside it. Esc and a click elsewhere close it. */
export function Menu({ text, children, class: classes = '', changes, onOpen, ...rest }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        ref={button}
        type="button"
        {...rest}
        class={`b ${classes}`}
        {...(changes && pastOnly())}
        popovertarget={id}
      >
        {text} <span class="car quiet">▾</span>
      </button>
      <div
        id={id}
        class="menu"
        popover="auto"
        onBeforeToggle={({ currentTarget, newState }) => {
          if (newState !== 'open') return
          onOpen?.()
          // The browser gives it the focus before the next key, which is meant for it.
          const first = currentTarget.querySelector('input, button, a, [tabindex]')
          first?.setAttribute('autofocus', '')
        }}
        onToggle={({ currentTarget, newState }) => {
          // The browser returns the focus only from the outermost of several menus.
          if (newState === 'closed' && currentTarget.contains(document.activeElement)) button.current?.focus()
        }}
      >
        {children}
      </div>
    </>
  )
}

interface ConfirmProps {
  readonly text: string
  /** The subject of the action. */
  readonly subject: string
  readonly question?: string
  readonly change: Action
}

/** A button that asks for confirmation, for actions that cannot be undone. */
export const ConfirmButton = ({ text, subject, question = `${text} ${subject}?`, change }: ConfirmProps) => (
  <Menu text={text} class="text small" aria-label={`${text} ${subject}`} data-command={change.command}>
    <p class="confirm actions" data-done>
      {question}
      <ActionButton
        class="small primary"
        text={text}
        aria-label={`Yes, ${text.toLowerCase()} ${subject}`}
        {...change}
      />
      <Button class="text small" text="Keep" run={() => {}} />
    </p>
  </Menu>
)
