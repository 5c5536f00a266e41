import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { pastOnly } from './buttons.tsx'

interface MenuProps {
  readonly label: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
  /** Whether its actions change the present. */
  readonly changes?: boolean
  readonly onOpen?: () => void
}

/** A button that opens a panel beside it. Esc and a click elsewhere close it. */
export function Menu({ label, children, class: classes = '', changes, onOpen }: MenuProps) {
  const id = useId()
  return (
    <>
      <button type="button" class={`b ${classes}`} {...(changes && pastOnly())} popovertarget={id}>
        {label} <span class="car">▾</span>
      </button>
      <div
        id={id}
        class="menu"
        popover="auto"
        onToggle={({ currentTarget, newState }) => {
          if (newState !== 'open') return
          onOpen?.()
          currentTarget.querySelector<HTMLElement>('input, button, a, [tabindex]')?.focus()
        }}
      >
        {children}
      </div>
    </>
  )
}
