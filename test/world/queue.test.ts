import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Linked, Queue } from '../../src/world/budget.ts'

interface Value extends Linked<Value> {
  readonly i: number
}

it('keeps the order of the rest, whichever values are removed', () => {
  const step = fc.oneof(fc.constant('push' as const), fc.nat(30))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new Queue<Value>()
      const model: Value[] = []
      for (const [i, each] of steps.entries()) {
        if (each === 'push') {
          const value: Value = { i, before: undefined, after: undefined }
          queue.push(value)
          model.push(value)
        } else if (model.length > 0) {
          const [left] = model.splice(each % model.length, 1)
          expect(queue.remove(left as Value)).toBe(true)
          expect(queue.remove(left as Value)).toBe(false)
        }
        expect(Array.from(queue, ({ i }) => i)).toEqual(model.map(({ i }) => i))
        expect([queue.size, queue.first]).toEqual([model.length, model[0]])
      }
    }),
  )
})
