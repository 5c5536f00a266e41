import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Pets } from '../../../src/world/pets/collection.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash, contentOf, logsIn } from './folder.ts'
import { create, replace, tableOfSize } from './model.ts'
import { open } from './opened.ts'

/** A data file with three pets, written by the sandbox. */
async function written(): Promise<string> {
  const file = join(temporaryFolder(), 'db.json')
  const { store, change } = await open(file)
  await change(replace(tableOfSize(3)))
  await store.close(10_000)
  return file
}

const edit = (file: string, name: string): void =>
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/"Pet 2"|"Kit"/, JSON.stringify(name)))

const namesIn = async (file: string, options = {}): Promise<{ names: string[]; warnings: string[] }> => {
  const { store, found, warnings } = await open(file, options)
  await store.close(0)
  return { names: (found.get('default')?.pets.pets ?? []).map(({ name }) => String(name)), warnings }
}

test('a data file that was edited while no sandbox ran is accepted, with a notice; a later crash loses nothing', async () => {
  const file = await written()
  edit(file, 'Kit')
  const { store, found, warnings, change } = await open(file)
  expect(warnings).toEqual([`${file} was changed since the sandbox wrote it, and is used as it is now.`])
  expect(found.get('default')?.pets.pets[1]?.name).toBe('Kit')
  await change(create(4))
  const crashed = join(asAfterCrash(dirname(file)), 'db.json')
  expect(await namesIn(crashed)).toEqual({ names: ['Pet 1', 'Kit', 'Pet 3', 'Pet 4'], warnings: [] })
  await store.close(10_000)
  expect(await namesIn(file)).toEqual({ names: ['Pet 1', 'Kit', 'Pet 3', 'Pet 4'], warnings: [] })
})

test('an edited file whose log has newer changes is refused unless it is accepted; the log is kept', async () => {
  const file = await written()
  const { change } = await open(file)
  await change(create(4))
  const folder = asAfterCrash(dirname(file))
  const edited = join(folder, 'db.json')
  edit(edited, 'Kit')
  const before = contentOf(folder)
  await expect(open(edited)).rejects.toMatchObject({ name: 'DataFileError', file: edited })
  await expect(open(edited)).rejects.toThrow('--accept-data-file')
  expect(contentOf(folder)).toEqual(before)

  const [log = ''] = logsIn(folder)
  const accepted = await namesIn(edited, { acceptDataFile: true })
  expect(accepted.names).toEqual(['Pet 1', 'Kit', 'Pet 3'])
  expect(accepted.warnings).toEqual([expect.stringContaining(`${log}.bak`)])
  expect(contentOf(folder)).toEqual({ 'db.json': before['db.json'], [`${log}.bak`]: before[log] })
  expect((await namesIn(edited)).names).toEqual(['Pet 1', 'Kit', 'Pet 3'])
})

test('an edited file is accepted if the log has no newer changes, although the log still exists', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const { store, change } = await open(file)
  await change(replace(tableOfSize(3)))
  const rm = vi.spyOn(fs.promises, 'rm').mockRejectedValue(new Error('EACCES: permission denied, rm'))
  await store.close(10_000)
  rm.mockRestore()
  expect(logsIn(dirname(file))).toHaveLength(1)
  edit(file, 'Kit')
  expect((await namesIn(file)).names).toEqual(['Pet 1', 'Kit', 'Pet 3'])
})

test('a data file with a higher sequence number than its log is refused, since the log belongs to another one', async () => {
  const file = await written()
  const { change } = await open(file)
  await change(create(4))
  const folder = asAfterCrash(dirname(file))
  const db = join(folder, 'db.json')
  fs.writeFileSync(db, '{"version":1,"seq":9,"namespaces":{"default":{"pets":[]}}}')
  const before = contentOf(folder)
  await expect(open(db)).rejects.toThrow('does not belong to')
  expect(contentOf(folder)).toEqual(before)
})

test('the highest possible sequence number is refused at once', async () => {
  const file = join(temporaryFolder(), 'db.json')
  fs.writeFileSync(file, `{"version":1,"seq":${2 ** 53 - 1},"namespaces":{"default":{"pets":[]}}}`)
  await expect(open(file)).rejects.toThrow(`${file}, line 1: seq must be an integer from 0 to`)
})

test.skipIf(process.platform === 'win32')(
  'only the owner can read new files, since they may contain keys; an existing file keeps its mode',
  async () => {
    const folder = temporaryFolder()
    const { store, change } = await open(join(folder, 'db.json'))
    const modeOf = (name: string): string => (fs.statSync(join(folder, name)).mode & 0o777).toString(8)
    await change(create(1))
    // The data file soon replaces the log.
    expect(['db.json.0.log', 'db.json.lock'].map(modeOf)).toEqual(['600', '600'])
    await store.snapshots.save('default', 'a', { pets: new Pets(tableOfSize(0)), keys: [] }, 1)
    expect(modeOf('db.snapshots/default/a.json')).toBe('600')
    await store.close(10_000)
    expect(modeOf('db.json')).toBe('600')
    fs.chmodSync(join(folder, 'db.json'), 0o664)
    const next = await open(join(folder, 'db.json'))
    await next.change(create(2))
    await next.store.close(10_000)
    expect(modeOf('db.json')).toBe('664')
  },
)

test('for a link to a missing file, the target is created', async () => {
  const folder = temporaryFolder()
  fs.symlinkSync('data/db.json', join(folder, 'link.json'))
  const { store, change } = await open(join(folder, 'link.json'))
  await change(create(1))
  await store.close(10_000)
  expect(fs.lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true)
  expect(fs.readFileSync(join(folder, 'data', 'db.json'), 'utf8')).toContain('Pet 1')
})

test('changes that a crash left in the log are written to the data file without a further change', async () => {
  const file = await written()
  const { change } = await open(file)
  const name = 'x'.repeat(1_100_000)
  const big = { id: 4, name, categoryId: 1 }
  await change({
    op: 'create',
    namespace: 'default',
    collection: 'pets',
    pet: big,
    json: JSON.stringify(big),
  })
  const folder = asAfterCrash(dirname(file))
  const { warnings } = await open(join(folder, 'db.json'))
  await expect.poll(() => logsIn(folder)).toEqual([])
  expect(warnings).toEqual([])
})

test('a data file that appears while the sandbox runs is kept as a backup', async () => {
  const file = join(temporaryFolder(), 'db.json')
  const { store, warnings, change } = await open(file)
  fs.writeFileSync(file, 'by hand')
  await change(create(1))
  await store.close(10_000)
  expect(fs.readFileSync(`${file}.bak`, 'utf8')).toBe('by hand')
  expect(warnings).toEqual([expect.stringMatching(/ was changed while .* Use petstore-sandbox seed instead/)])
})
