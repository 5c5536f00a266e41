import { useSignal } from '@preact/signals'
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'

/** Drawn above and below what is seen, so that the next line is there when a key goes to it. */
const BESIDE = 8

export interface Windowed {
  readonly host: (element: HTMLElement | null) => void
  readonly onScroll: () => void
  /** The lines to draw, and where the first of them stands. */
  readonly first: number
  readonly last: number
  readonly top: number
  readonly height: number
  readonly reveal: (index: number) => void
}

/**
 * Draws of many lines those that are seen. `tops`: where each begins, and at last where they end, in pixels. What is read
 * stays where it is when lines come above: `keyAt` names a line.
 */
export function useWindow(
  tops: readonly number[],
  keyAt: (index: number) => string | undefined,
  indexOf: (key: string) => number,
  onWidth: (width: number) => void,
): Windowed {
  const element = useRef<HTMLElement | null>(null)
  const seen = useSignal({ top: 0, height: 600 })
  const held = useRef<{ readonly key: string; readonly past: number } | undefined>(undefined)
  const count = tops.length - 1
  const at = (y: number) => {
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((tops[middle] as number) <= y) low = middle
      else high = middle - 1
    }
    return Math.min(low, Math.max(0, count - 1))
  }
  const measure = () => {
    const host = element.current
    if (!host) return
    const { scrollTop, clientHeight } = host
    if (scrollTop !== seen.peek().top || clientHeight !== seen.peek().height)
      seen.value = { top: scrollTop, height: clientHeight }
    const index = at(scrollTop)
    const key = keyAt(index)
    held.current =
      scrollTop > 0 && key !== undefined ? { key, past: scrollTop - (tops[index] ?? 0) } : undefined
  }
  const onScroll = useRef(measure)
  onScroll.current = measure
  const host = useCallback((found: HTMLElement | null) => {
    element.current = found
    if (!found) return
    const sizes = new ResizeObserver(() => {
      onWidth(found.clientWidth)
      onScroll.current()
    })
    sizes.observe(found)
    onScroll.current()
  }, [])
  useLayoutEffect(() => {
    const index = held.current ? indexOf(held.current.key) : -1
    if (!element.current || !held.current || index < 0) return
    const top = (tops[index] as number) + held.current.past
    if (Math.abs(element.current.scrollTop - top) >= 1) element.current.scrollTop = top
  }, [tops])
  const { top, height } = seen.value
  const first = Math.max(0, at(top) - BESIDE)
  const last = Math.min(count, at(top + height) + BESIDE)
  return {
    host,
    onScroll: () => onScroll.current(),
    first,
    last,
    top: tops[first] ?? 0,
    height: tops[count] ?? 0,
    reveal: (index) => {
      const list = element.current
      if (!list || index < 0) return
      const [from, to] = [tops[index] ?? 0, tops[index + 1] ?? 0]
      if (from < list.scrollTop) list.scrollTop = from
      else if (to > list.scrollTop + list.clientHeight) list.scrollTop = to - list.clientHeight
      onScroll.current()
    },
  }
}
