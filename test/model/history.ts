import type { World } from './world.ts'

/** A request, or a control call that changed something: the namespace can go back to before and after it. */
export interface Point {
  readonly at: number
  /** The request and its status; undefined for a control call, whose words are the sandbox's. */
  readonly what: string | undefined
  /** The id of a control call or of a lost answer is known after the sandbox has listed it. */
  id: string | undefined
  readonly before: () => void
  readonly after: () => void
}

/** A value that later changes of this one do not reach. Prototypes stay, so an instance of a class is one again. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf) as T
  if (value instanceof Set) return new Set(value) as T
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, copyOf(each)])) as T
  const copied = Object.entries(value).map(([name, each]) => [name, copyOf(each)])
  return Object.assign(Object.create(Object.getPrototypeOf(value)), Object.fromEntries(copied))
}

/** docs/history.md: what a namespace can go back to, and the last thing that was undone. */
export class History {
  points: readonly Point[] = []
  private undone: readonly (() => void)[] = []

  /** Remembers what `happen` does to a world. */
  record<T>(world: World, happen: () => T): { readonly result: T; readonly add: (point: Named) => void } {
    const [at, before] = [world.now, world.save()]
    const result = happen()
    const after = world.save()
    return { result, add: (named) => (this.points = [...this.points, { at, before, after, ...named }]) }
  }

  /** Goes back: the points that follow are undone. */
  rewind(world: World, index: number, side: 'before' | 'after'): void {
    const { points } = this
    if (side === 'after' && index === points.length - 1) return
    this.undone = [...this.undone, this.present(world)]
    this.points = points.slice(0, side === 'before' ? index : index + 1)
    points[index]?.[side]()
  }

  /** Swaps the present with what the last rewind undid. */
  undo(world: World): boolean {
    const last = this.undone.at(-1)
    if (!last) return false
    this.undone = [...this.undone.slice(0, -1), this.present(world)]
    last()
    return true
  }

  private present(world: World): () => void {
    const [{ points }, restore] = [this, world.save()]
    return () => {
      this.points = points
      restore()
    }
  }
}

type Named = Pick<Point, 'what' | 'id'>
