import type { ComponentChildren } from 'preact'

/** Content that may be wider than the page: it scrolls, also by the keyboard. */
export const Scroll = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section class="table" aria-label={label} tabIndex={0}>
    {children}
  </section>
)
