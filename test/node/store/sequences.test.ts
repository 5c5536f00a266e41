import fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { following, type Int64 } from '../../../src/world/pets/pet.ts'
import type { Change, CollectionName } from '../../../src/world/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash, logsIn } from './folder.ts'
import { create, type Model, remove, replace, tableOfSize, update } from './model.ts'
import { type Opened, open } from './opened.ts'

type Step =
  | {
      readonly do: 'create'
      readonly namespace: string
      readonly collection: CollectionName
      readonly count: number
      readonly gap: number
    }
  | {
      readonly do: 'update' | 'delete'
      readonly namespace: string
      readonly collection: CollectionName
      readonly which: number
    }
  | { readonly do: 'replace'; readonly namespace: string; readonly table: number }
  | { readonly do: 'keys'; readonly namespace: string; readonly count: number }
  | { readonly do: 'drop'; readonly namespace: string }
  | { readonly do: 'crash'; readonly torn: number }
  | { readonly do: 'restart' }
  | { readonly do: 'fresh' }

const tables = [tableOfSize(0), tableOfSize(5), tableOfSize(10_500), { ...tableOfSize(2), nextId: 2n ** 60n }]

const namespace = fc.constantFrom('default', 'w1', '__proto__')
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('create'),
      namespace,
      collection: fc.constantFrom('pets', 'empty'),
      count: fc.integer({ min: 1, max: 5 }),
      gap: fc.nat(2),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('update', 'delete'),
      namespace,
      collection: fc.constantFrom('pets', 'empty'),
      which: fc.nat(10),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('replace'), namespace, table: fc.nat(tables.length - 1) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('keys'), namespace, count: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop'), namespace }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('crash'), torn: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fresh') }) },
) as fc.Arbitrary<Step>

function changesOf(step: Step, model: Model): Change[] {
  switch (step.do) {
    case 'create': {
      let id: Int64 = model.nextId(step.namespace, step.collection)
      return Array.from({ length: step.count }, () => {
        for (let gap = 0; gap < step.gap; gap++) id = following(id)
        const change = create(id, step)
        id = following(id)
        return change
      })
    }
    case 'update':
    case 'delete': {
      const ids = model.ids(step.namespace, step.collection)
      const id = ids.at(-1 - (step.which % (ids.length || 1)))
      if (id === undefined) return []
      return [step.do === 'delete' ? remove(id, step) : update(id, `Kit ${step.which}`, step)]
    }
    case 'replace':
      return [replace(tables[step.table] ?? tableOfSize(0), step.namespace)]
    case 'keys':
      return [
        {
          op: 'keys',
          namespace: step.namespace,
          keys: Array.from({ length: step.count }, (_, index) => ({
            key: `psk_${index}`,
            plan: 'pro' as const,
          })),
        },
      ]
    case 'drop':
      return [{ op: 'drop', namespace: step.namespace }]
    default:
      return []
  }
}

test('property: after any sequence of operations, the loaded state is the confirmed one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      let folder = temporaryFolder()
      let opened: Opened = await open(join(folder, 'db.json'))
      const reopen = async (options = {}): Promise<void> => {
        await opened.store.close(0)
        const { model } = opened
        opened = await open(join(folder, 'db.json'), options)
        if (!('fresh' in options)) expect(opened.found).toEqual(model.stored())
      }
      for (const step of steps) {
        await Promise.all(changesOf(step, opened.model).map(opened.change))
        if (step.do === 'restart') {
          await opened.store.close(10_000)
          expect(logsIn(folder)).toEqual([])
          await reopen()
        }
        if (step.do === 'fresh') {
          await reopen({ fresh: true })
          await opened.change(replace(tableOfSize(5)))
        }
        if (step.do === 'crash') {
          folder = asAfterCrash(folder)
          const log = logsIn(folder).at(-1)
          if (log)
            fs.appendFileSync(
              join(folder, log),
              '{"seq":99,"namespace":"default","op":"crea'.slice(0, step.torn),
            )
          await reopen()
        }
      }
      folder = asAfterCrash(folder)
      await reopen()
      await opened.store.close(0)
    }),
    { numRuns: 60 },
  )
})
