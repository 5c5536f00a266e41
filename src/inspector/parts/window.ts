import { useSignal } from '@preact/signals'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** The number of lines that are drawn above and below the visible ones, so that keys find the next line. */
const OVERSCAN = 8
/** The tallest list that every browser can draw, in pixels. */
const TALLEST = 8_000_000

/** The number of items by which a key moves in a list. `back`, `on`: the keys that move by one. */
export const stepOf = (key: string, back: string, on: string): number | undefined =>
  ({ [back]: -1, [on]: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity })[key]

/** The horizontal position of a pointer in an element, in pixels of the page, which a larger font enlarges. */
export function xIn(element: EventTarget | null, { clientX }: PointerEvent): number {
  const { offsetWidth } = element as HTMLElement
  const { left, width } = (element as HTMLElement).getBoundingClientRect()
  return ((clientX - left) * offsetWidth) / width
}

interface Lines {
  readonly count: number
  /** The top of a line in pixels; of `count`, the bottom of the last line. */
  readonly topOf: (index: number) => number
  /** Names lines, so that visible lines keep their place when others are added above. */
  readonly keyAt?: (index: number) => string | undefined
  readonly indexOf?: (key: string) => number
  /** The key of the line with the focus. */
  readonly focused?: () => string | undefined
  readonly onSize?: () => unknown
}

/** The height that lines have: the names of the columns stay above them. */
const heightOf = (list: HTMLElement) => list.clientHeight - (list.querySelector('thead')?.offsetHeight ?? 0)

/** Draws only the visible lines. If a list is too tall for browsers, a pixel of its scrollbar stands for several. */
export function useWindow({ count, topOf, keyAt, indexOf, focused, onSize }: Lines) {
  const element = useRef<HTMLElement | null>(null)
  const viewport = useSignal({ scroll: 0, height: 600 })
  const anchor = useRef<{ readonly key: string; readonly offset: number } | undefined>(undefined)
  const { scroll, height } = viewport.value
  const total = topOf(count)
  const drawn = Math.min(total, TALLEST)
  const scale = total === drawn ? 1 : (total - height) / (drawn - height)
  const at = (y: number) => {
    let [low, high] = [0, Math.max(0, count - 1)]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (topOf(middle) <= y) low = middle
      else high = middle - 1
    }
    return low
  }
  const measure = () => {
    const host = element.current
    if (!host) return
    const { scrollTop } = host
    const height = heightOf(host)
    const shown = viewport.peek()
    if (scrollTop !== shown.scroll || height !== shown.height) viewport.value = { scroll: scrollTop, height }
    anchor.current = undefined
    // At the top, new lines push the others down, but not the one with the focus out of sight.
    const key = scrollTop > 0 ? keyAt?.(at(scrollTop)) : focused?.()
    const index = key === undefined ? -1 : (indexOf?.(key) ?? -1)
    if (key === undefined || index < 0 || topOf(index) >= scrollTop + height) return
    anchor.current = {
      key,
      offset: scrollTop > 0 ? scrollTop - topOf(index) : topOf(index + 1) - topOf(index) - height,
    }
  }
  const onScroll = useRef(measure)
  onScroll.current = measure
  const host = useCallback((found: HTMLElement | null) => {
    element.current = found
    if (!found) return
    const sizes = new ResizeObserver(() => {
      if (found.isConnected) onSize?.()
      onScroll.current()
    })
    sizes.observe(found)
  }, [])
  const anchorIndex = (anchor.current && indexOf?.(anchor.current.key)) ?? -1
  /** The position to scroll to. Its lines are drawn before the list scrolls: a line that is not drawn loses the focus. */
  const place =
    anchor.current && anchorIndex >= 0 ? Math.max(0, topOf(anchorIndex) + anchor.current.offset) : scroll
  useLayoutEffect(() => {
    const list = element.current
    if (list && anchorIndex >= 0 && Math.abs(list.scrollTop - place) >= 1) list.scrollTop = place
  }, [topOf])
  useEffect(() => {
    const list = element.current
    if (!list || scale === 1) return
    const turn = (event: WheelEvent) => {
      event.preventDefault()
      list.scrollTop += Math.sign(event.deltaY) * Math.max(1, Math.abs(event.deltaY) / scale)
    }
    // A passive listener could not prevent the default action of the wheel.
    list.addEventListener('wheel', turn, { passive: false })
    return () => list.removeEventListener('wheel', turn)
  }, [scale])
  const top = place * scale
  const first = Math.max(0, at(top) - OVERSCAN)
  const before = topOf(first) + place - top
  return {
    host,
    onScroll: () => onScroll.current(),
    // The lines to draw, and the position of the first.
    first,
    last: Math.min(count, at(top + height) + OVERSCAN),
    style: { height: `${drawn - before}px`, marginTop: `${before}px` },
    reveal: (index: number) => {
      const list = element.current
      if (!list || index < 0) return
      const [from, to] = [topOf(index), topOf(index + 1)]
      if (from < list.scrollTop) list.scrollTop = from
      else if (to > list.scrollTop + heightOf(list)) list.scrollTop = to - heightOf(list)
      onScroll.current()
    },
  }
}
