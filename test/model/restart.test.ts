import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'

const RUNS = Number(process.env.PETSTORE_RESTART_RUNS ?? (process.env.PETSTORE_SOAK ? 500 : 25))

const NAMESPACES = ['default', 'w1', '__proto__']

type Step =
  | { readonly do: 'restart' }
  | { readonly do: 'send'; readonly method: string; readonly target: string; readonly body?: string }
  | { readonly do: 'create'; readonly key: string; readonly name: string; readonly categoryId: string }

const namespace = fc.constantFrom(...NAMESPACES)
const control = fc.tuple(
  namespace,
  fc.constantFrom(
    [
      'POST',
      'seed',
      '{"pets":[{"name":"A","categoryId":1},{"id":40,"name":"B","categoryId":2,"status":"sold"}]}',
    ],
    ['POST', 'seed', '{"pets":[{"name":"C","categoryId":9007199254740993}],"mode":"append"}'],
    ['POST', 'seed', '{"count":30,"seed":7}'],
    ['POST', 'seed', '{"fixture":"empty"}'],
    ['POST', 'reset', '{"only":["pets"]}'],
    ['POST', 'reset', '{"only":["keys"]}'],
    ['POST', 'keys', '{"plan":"pro","key":"mine"}'],
    ['DELETE', 'keys/psk_free', undefined],
    ['DELETE', 'keys/mine', undefined],
    ['PUT', 'snapshots/one', undefined],
    ['POST', 'snapshots/one/restore', undefined],
    ['DELETE', 'snapshots/one', undefined],
  ),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'restart' }) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        namespace,
        fc.constantFrom('psk_enterprise', 'psk_empty', 'mine'),
        fc.string({ maxLength: 5, unit: 'binary' }),
        fc.constantFrom('1', '-9223372036854775808', '9007199254740993'),
      )
      .map(
        ([name, key, text, categoryId]): Step => ({
          do: 'create',
          key: `${key}.${name}`,
          name: text,
          categoryId,
        }),
      ),
  },
  {
    weight: 3,
    arbitrary: control.map(([name, [method = '', path, body]]): Step => {
      const target = `/_sandbox/${path}?namespace=${name}`
      return { do: 'send', method, target, ...(body !== undefined && { body }) }
    }),
  },
)

const open = (db?: string): Promise<Sandbox> =>
  createSandbox({
    listen: false,
    log: 'silent',
    now: '2026-11-19T12:34:56Z',
    freeze: true,
    limits: { pro: 'unlimited/unlimited', enterprise: 'unlimited/unlimited' },
    ...(db && { db }),
  })

async function send(sandbox: Sandbox, step: Step): Promise<string> {
  if (step.do === 'restart') return ''
  const headers = { 'content-type': 'application/json' }
  const response =
    step.do === 'send'
      ? await sandbox.fetch(step.target, {
          method: step.method,
          headers,
          ...(step.body && { body: step.body }),
        })
      : await sandbox.fetch('/v1/pets', {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${step.key}` },
          body: `{"name":${JSON.stringify(step.name)},"categoryId":${step.categoryId}}`,
        })
  return `${response.status} ${timeless(await response.text())}`
}

/** Without the times of snapshots, which are real times. */
const timeless = (text: string): string => text.replace(/"at":"[^"]*"/g, '"at"')

/** The state of a namespace that a restart keeps. */
async function stateOf(sandbox: Sandbox, name: string): Promise<string[]> {
  const read = async (target: string, key?: string) =>
    timeless(
      await (await sandbox.fetch(target, { headers: key ? { authorization: `Bearer ${key}` } : {} })).text(),
    )
  return [
    await read(`/_sandbox/export?namespace=${name}`),
    await read(`/_sandbox/keys?namespace=${name}`),
    await read(`/_sandbox/snapshots?namespace=${name}`),
    await read('/v1/pets?limit=100', `psk_empty.${name}`),
  ]
}

test('a sequence with restarts on a data file has the same result as the same sequence in memory', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
    const folder = temporaryFolder()
    const db = join(folder, 'db.json')
    await using inMemory = await open()
    let onFile = await open(db)
    for (const each of [...steps, { do: 'restart' } as const]) {
      if (each.do === 'restart') {
        await onFile.close()
        onFile = await open(db)
      }
      expect(await send(onFile, each), JSON.stringify(each)).toBe(await send(inMemory, each))
    }
    for (const name of NAMESPACES) expect(await stateOf(onFile, name)).toEqual(await stateOf(inMemory, name))
    await onFile.close()
  })
  await fc.assert(property, { seed: 1, numRuns: RUNS })
})
