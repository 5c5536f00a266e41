import type { ComponentChildren, TargetedToggleEvent } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { pastOnly } from './buttons.tsx'

interface MenuProps {
  readonly label: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
  /** Whether its actions change the present. */
  readonly changes?: boolean
  readonly onOpen?: () => void
}

/** A button that opens a panel. Esc and a click elsewhere close it. */
export function Menu({ label, children, class: look = '', changes, onOpen }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const place = ({ currentTarget: panel, newState }: TargetedToggleEvent<HTMLElement>) => {
    button.current?.setAttribute('aria-expanded', String(newState === 'open'))
    if (newState !== 'open' || !button.current) return
    const { left, right, bottom, top } = button.current.getBoundingClientRect()
    const { width, height } = panel.getBoundingClientRect()
    // Below its button, or else above it, or beside it.
    const below = bottom + 4 + height < innerHeight
    const isBeside = !below && top - height - 4 < 8
    const x = isBeside ? right + 4 : left
    panel.style.left = `${Math.max(8, x + width < innerWidth - 8 ? x : right - width)}px`
    panel.style.top = `${Math.max(8, below ? bottom + 4 : isBeside ? innerHeight - height - 34 : top - height - 4)}px`
    onOpen?.()
    panel.querySelector<HTMLElement>('input, button, a, [tabindex]')?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`b ${look}`}
        aria-expanded="false"
        {...(changes && pastOnly())}
        popovertarget={id}
      >
        {label} <span class="car">▾</span>
      </button>
      <div id={id} class="menu" popover="auto" onToggle={place}>
        {children}
      </div>
    </>
  )
}
