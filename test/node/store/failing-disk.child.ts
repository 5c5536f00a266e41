// Repeats a scenario with a disk that fails one call later each time; prints the problems.
import fs from 'node:fs'
import { join } from 'node:path'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { slices } from '../../../src/node/turns.ts'
import { Pets } from '../../../src/world/pets/collection.ts'
import { changer } from './changer.ts'
import { create, Model, type PlainNamespace, plain as plainOf, replace, tableOfSize } from './model.ts'

/** The failure modes: before or after a call is carried out, halfway through a write, or for all later calls. */
const MODES = ['before', 'after', 'short', 'ever'] as const
type Mode = (typeof MODES)[number]

const disk = { mode: 'before' as Mode, failsAt: Infinity, calls: 0, name: '', isWell: true, pending: 0 }

const fails = (name: string): boolean => {
  if (disk.isWell || (disk.mode === 'short' && name !== 'writeSync')) return false
  disk.calls++
  const now = disk.mode === 'ever' ? disk.calls >= disk.failsAt : disk.calls === disk.failsAt
  if (now && disk.name === '') disk.name = name
  return now
}

const failure = (name: string): Error => Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' })

type Call = (...args: unknown[]) => unknown

function patch(target: object, name: string): void {
  // The test simulates no power cut, and syncing the real disk would take most of the time.
  const original = name === 'datasync' ? async () => {} : ((target as Record<string, Call>)[name] as Call)
  const call = (that: unknown, args: unknown[]): unknown => {
    if (!fails(name)) return original.apply(that, args)
    if (disk.mode === 'short') args[3] = Math.ceil(Number(args[3]) / 2)
    if (disk.mode === 'before' || disk.mode === 'ever') throw failure(name)
    const result = original.apply(that, args)
    if (result instanceof Promise)
      return result.then(async (made) => {
        // Nobody else can close a file whose open fails.
        if (name === 'open') await (made as fs.promises.FileHandle).close()
        throw failure(name)
      })
    if (disk.mode === 'short') return result
    throw failure(name)
  }
  const isAsync = target === fs.promises || !(target === fs)
  Object.defineProperty(target, name, {
    configurable: true,
    writable: true,
    value: isAsync
      ? async function (this: unknown, ...args: unknown[]) {
          disk.pending++
          try {
            return await call(this, args)
          } finally {
            disk.pending--
          }
        }
      : function (this: unknown, ...args: unknown[]) {
          return call(this, args)
        },
  })
}

const [base = '', folder = ''] = process.argv.slice(2)
const handle = await fs.promises.open(join(base, 'db.json'))
const FileHandle = Object.getPrototypeOf(handle) as object
await handle.close()

const synchronous = 'open write ftruncate close rm rename truncate fstat stat read readFile writeFile utimes'
const plain = { ...fs }
for (const name of synchronous.split(' ')) patch(fs, `${name}Sync`)
for (const name of 'open rename rm mkdir utimes unlink readdir'.split(' ')) patch(fs.promises, name)
for (const name of 'read writeFile datasync stat chmod'.split(' ')) patch(FileHandle, name)

// Timers of the store run a thousand times faster.
const { setTimeout: later } = globalThis
globalThis.setTimeout = ((work: () => void, ms: number) => later(work, ms / 1000)) as typeof setTimeout
const { openFileStore } = await import('../../../src/node/store/file-store.ts')
const { DataFileError } = await import('../../../src/node/store/data-file-error.ts')

const problems = new Set<string>()
const complain = (what: string): void =>
  void problems.add(`${disk.mode} ${disk.failsAt} (${disk.name}): ${what}`)
process.on('uncaughtException', (error) => complain(`it would have ended: ${error.stack}`))
process.on('unhandledRejection', (error) => complain(`it would have ended: ${(error as Error).stack}`))

const open = (file: string) =>
  openFileStore(join(file, 'db.json'), { warn: () => {}, petShape: animalStoreContract().petShape, slices })

/** A number of pets that is written to the data file without the log. */
const MANY = 10_500
/** The acknowledged changes of a namespace whose pets are replaced. */
interface Replaced {
  table?: boolean
  more: number[]
}

/** Checks that acknowledged changes are found, and that pets were replaced completely or not at all. */
function checkReplaced(where: string, w2: PlainNamespace | undefined, { table, more }: Replaced): void {
  const ids = w2?.pets.pets.map(({ id }) => Number(id)) ?? []
  const few = ids.filter((id) => id <= MANY)
  // Without the replacement, at most two pets were added to an empty namespace.
  if (few.length > 2 && few.length !== MANY) complain(`${where}: ${few.length} of ${MANY} pets`)
  if (table && few.length !== MANY) complain(`${where}: ${few.length} of ${MANY} acknowledged pets`)
  for (const id of more) if (!ids.includes(id)) complain(`${where}: pet ${id} of w2 is lost`)
}

/** Checks that all acknowledged changes are found, and no pet that was never sent. */
async function verify(
  where: string,
  copy: string,
  acknowledged: Set<number>,
  sent: Set<number>,
  replaced: Replaced,
): Promise<void> {
  disk.isWell = true
  for (const name of plain.readdirSync(copy)) if (name.endsWith('.lock')) plain.rmSync(join(copy, name))
  try {
    const { found, close } = await open(copy)
    await close(0)
    const ids = (plainOf(found).get('default')?.pets.pets ?? []).map(({ id }) => Number(id))
    for (const id of acknowledged) if (!ids.includes(id)) complain(`${where}: pet ${id} is lost`)
    for (const id of ids) if (!sent.has(id)) complain(`${where}: pet ${id} was never sent`)
    checkReplaced(where, plainOf(found).get('w2'), replaced)
  } catch (error) {
    complain(`${where}: ${(error as Error).message}`)
  }
  plain.rmSync(copy, { recursive: true })
}

async function scenario(name: string): Promise<void> {
  const work = join(folder, name)
  const crashed = `${work}-crashed`
  plain.cpSync(base, work, { recursive: true })
  const acknowledged = new Set([1, 2, 3, 4])
  const sent = new Set(acknowledged)
  const replaced: Replaced = { more: [] }
  Object.assign(disk, { calls: 0, name: '', isWell: false })
  try {
    const store = await open(work)
    const model = new Model(plainOf(store.found))
    store.connect(model.view)
    const change = changer(store, model)
    const add = async (id: number): Promise<void> => {
      sent.add(id)
      await change(create(id))
      acknowledged.add(id)
    }
    const attempt = (work: Promise<unknown> | undefined): Promise<unknown> =>
      Promise.resolve(work).catch((error) => {
        if (error.name !== 'ApiError') complain(`not an ApiError: ${error.stack}`)
      })
    for (const id of [5, 6, 7]) await attempt(add(id))
    await new Promise((resolve) => later(resolve, 10))
    await Promise.all([attempt(add(8)), attempt(add(9))])
    await attempt(store.snapshots.save('w1', 'a', { pets: new Pets(tableOfSize(2)), keys: [] }, 1))
    await attempt(store.snapshots.list('w1'))
    const addReplaced = async (): Promise<void> => {
      const id = Number(model.nextId('w2', 'pets'))
      await change(create(id, { namespace: 'w2' }))
      replaced.more.push(id)
    }
    const replacing = attempt(
      change(replace(tableOfSize(MANY), 'w2')).then(() => {
        replaced.table = true
      }),
    )
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([replacing, attempt(addReplaced()), attempt(add(10))])
    await attempt(addReplaced())
    await attempt(change({ op: 'drop', namespace: 'w1' }))
    await attempt(add(11))
    // The copy is consistent: no asynchronous call is in progress.
    while (disk.pending > 0) await new Promise((resolve) => setImmediate(resolve))
    disk.isWell = true
    plain.cpSync(work, crashed, { recursive: true })
    await verify('after a kill', crashed, acknowledged, sent, replaced)
    disk.isWell = false
    await store.close(1000)
  } catch (error) {
    if (!(error instanceof DataFileError)) complain(`not a DataFileError: ${(error as Error).stack}`)
  }
  await verify('after its end', work, acknowledged, sent, replaced)
}

// The initial state needs recovery: a data file, and a log that was cut off.
{
  const store = await open(base)
  const change = changer(store, new Model(plainOf(store.found)))
  await change(create(4))
  await change(replace(tableOfSize(2), 'w1'))
  const copy = join(folder, 'base')
  plain.cpSync(base, copy, { recursive: true })
  await store.close(0)
  plain.rmSync(base, { recursive: true })
  plain.cpSync(copy, base, { recursive: true })
  for (const name of plain.readdirSync(base)) {
    if (name.endsWith('.lock')) plain.rmSync(join(base, name))
    if (name.endsWith('.log')) plain.appendFileSync(join(base, name), '{"seq":9,"name')
  }
}

let runs = 0
for (const mode of MODES) {
  disk.mode = mode
  for (let call = 1; ; call++) {
    disk.failsAt = call
    await scenario(`${mode}-${call}`)
    runs++
    if (disk.name === '') break
  }
}
console.log(JSON.stringify({ runs, problems: [...problems] }))
process.exit()
