import type { World } from './world.ts'

/** A request, or a control call that changed the namespace, which can be rewound to before or after it. */
export interface Point {
  readonly at: number
  /** The request and its status; undefined for a control call, which the sandbox describes. */
  readonly what: string | undefined
  /** The id of a control call or of a lost answer is taken from the sandbox when it lists it. */
  id: string | undefined
  readonly before: () => void
  readonly after: () => void
}

/** A deep copy, which keeps prototypes, so that an instance of a class stays one. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf) as T
  if (value instanceof Set) return new Set(value) as T
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, copyOf(each)])) as T
  const copied = Object.create(Object.getPrototypeOf(value))
  for (const [name, each] of Object.entries(value)) copied[name] = copyOf(each)
  return copied
}

/** docs/history.md: the points of a namespace, and the undone states. */
export class History {
  points: readonly Point[] = []
  private undone: readonly (() => void)[] = []

  /** Runs `happen`, and records the state before and after it. */
  record<T>(world: World, happen: () => T): { readonly result: T; readonly add: (point: Named) => void } {
    const [at, before] = [world.now, world.save()]
    const result = happen()
    const after = world.save()
    return { result, add: (named) => (this.points = [...this.points, { at, before, after, ...named }]) }
  }

  /** Restores an earlier state: the later points are undone. */
  rewind(world: World, index: number, side: 'before' | 'after'): void {
    const { points } = this
    if (side === 'after' && index === points.length - 1) return
    this.undone = [...this.undone, this.present(world)]
    this.points = points.slice(0, side === 'before' ? index : index + 1)
    points[index]?.[side]()
  }

  /** Swaps the current state with the one that the last rewind undid. */
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
