import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Place, Queue } from '../../../src/domain/traffic/queue.ts'

it('keeps the order of what is left, whichever values leave', () => {
  const step = fc.oneof(fc.constant('push' as const), fc.nat(30))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new Queue<number>()
      const model: Place<number>[] = []
      for (const [i, each] of steps.entries()) {
        if (each === 'push') model.push(queue.push(i))
        else if (model.length > 0) {
          const [left] = model.splice(each % model.length, 1)
          queue.remove(left as Place<number>)
        }
        expect([...queue]).toEqual(model.map(({ value }) => value))
        expect([queue.size, queue.first]).toEqual([model.length, model[0]?.value])
      }
    }),
  )
})
