import { describe, expect, it } from 'vitest'
import { type Branch, branchToDrop, checkpointsOf, runsIn, withInner } from '../../src/world/branches.ts'
import type { Checkpoint } from '../../src/world/command.ts'
import { command } from '../support/command.ts'

const checkpoint = (...numbers: number[]): Checkpoint => ({
  state: undefined,
  position: 0,
  n: numbers[0] ?? 0,
  branches: 0,
  cause: undefined,
  commands: numbers.map((n) => command({ n })),
  bytes: 0,
  forget: () => {},
})

const branch = (n: number, base: Checkpoint, ...inner: Branch[]) =>
  ({ base, rest: checkpoint(n), checkpoints: [], ended: [], inner }) as unknown as Branch

const base = checkpoint(1, 2)
const inner = branch(10, base)
const other = branch(11, checkpoint(5))
const outer = branch(20, base, inner, other)

describe('branches', () => {
  it('are counted with those inside others; above the bound the oldest is dropped, wherever it is', () => {
    const others = [21, 22].map((n) => branch(n, base))
    expect(branchToDrop([outer, ...others])).toBeUndefined()
    expect(branchToDrop([outer, ...others, branch(23, base)])).toBe(inner)
    expect(withInner([outer, ...others])).toEqual([outer, inner, other, ...others])
    expect(checkpointsOf(outer)).toHaveLength(3)
  })

  it('have their own runs, each after the commands before its branch', () => {
    const runs = runsIn([base], [outer])
    const numbers = runs.map(({ earlier, commands }) =>
      [earlier, commands].map((all) => all.map(({ n }) => n)),
    )
    expect(numbers).toEqual([
      [[], [1, 2]],
      [[1, 2], [20]],
      [[1, 2, 20], [10]],
      [[5], [11]],
    ])
  })
})
