import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { Action } from '../data/actions.ts'
import { ActionButton, Button, pastOnly } from './buttons.tsx'

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
        {text} <span class="car">▾</span>
      </button>
      <div
        id={id}
        class="menu"
        popover="auto"
        onToggle={({ currentTarget, newState }) => {
          if (newState === 'open') {
            onOpen?.()
            currentTarget.querySelector<HTMLElement>('input, button, a, [tabindex]')?.focus()
            // The browser returns the focus only from the outermost of several menus.
          } else if (currentTarget.contains(document.activeElement)) button.current?.focus()
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
  readonly of: string
  readonly question?: string
  readonly change: Action
}

/** A button that asks for confirmation, for actions that cannot be undone. */
export function ConfirmButton({ text, of, question = `${text} ${of}?`, change }: ConfirmProps) {
  const host = useRef<HTMLSpanElement>(null)
  // The row that the action removes does not take the focus with it.
  useLayoutEffect(
    () => () => {
      const row = host.current
      if (row?.contains(document.activeElement))
        row.closest('.chooser, .inside')?.querySelector('input')?.focus()
    },
    [],
  )
  return (
    <span ref={host}>
      <Menu text={text} class="text small" aria-label={`${text} ${of}`} data-command={change.command}>
        <p class="confirm actions" data-done>
          {question}
          <ActionButton class="small primary" aria-label={`Yes, ${text.toLowerCase()} ${of}`} {...change}>
            {text}
          </ActionButton>
          <Button class="text small" run={() => {}}>
            Keep
          </Button>
        </p>
      </Menu>
    </span>
  )
}
