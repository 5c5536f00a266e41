import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { asAfterCrash, contentOf, logsIn, withChecksums } from './folder.ts'
import { create, Model, type Plain, remove, replace, tableOfSize, update } from './model.ts'
import { open } from './opened.ts'

/** A folder after a crash: a data file with three pets, and a log with newer changes. */
async function crashed(changes = [create(4), replace(tableOfSize(2), 'w1'), create(5)]) {
  const folder = temporaryFolder()
  const first = await open(join(folder, 'db.json'), { newMark: 1 })
  await first.change(replace(tableOfSize(3)))
  await first.store.close(10_000)
  const second = await open(join(folder, 'db.json'))
  for (const change of changes) await second.change(change)
  const copy = asAfterCrash(folder)
  return { folder: copy, file: join(copy, 'db.json'), log: join(copy, logsIn(copy)[0] as string) }
}

const found = async (file: string): Promise<Plain> => {
  const { store, found } = await open(file)
  await store.close(0)
  return found
}

test('the log has a header, and changes with a checksum of all lines up to them', async () => {
  const { log, file } = await crashed()
  const mark = /"mark": (\d+)/.exec(fs.readFileSync(file, 'utf8'))?.[1]
  const text = fs.readFileSync(log, 'utf8')
  const [header = '', ...lines] = text.split('\n')
  expect(header).toMatch(new RegExp(`^\\{"op":"log","seq":1,"after":${mark},"crc":\\d+\\}$`))
  expect(lines.map((line) => line.replace(/,"crc":\d+\}$/, '}'))).toEqual([
    '{"seq":2,"namespace":"default","op":"create","shelf":"pets","pet":{"id":4,"name":"Pet 4","categoryId":1}}',
    '{"seq":3,"namespace":"w1","op":"replace","state":{"pets":[{"id":1,"name":"Pet 1","categoryId":1},{"id":2,"name":"Pet 2","categoryId":1}],"nextId":3,"keys":[]}}',
    '{"seq":4,"namespace":"default","op":"create","shelf":"pets","pet":{"id":5,"name":"Pet 5","categoryId":1}}',
    '',
  ])
  expect(withChecksums(header, lines.slice(0, -1))).toBe(text)
})

test('a log is found whatever the file system makes of the letters in its name', async () => {
  const { file } = await crashed()
  const inCapitals = fs.readdirSync(join(file, '..')).map((name) => name.toUpperCase())
  const list = vi
    .spyOn(fs, 'readdirSync')
    .mockReturnValue(inCapitals.map((name) => name.replace(/LOG$/, 'log')) as never)
  const withLog = await found(file)
  list.mockRestore()
  expect(withLog.get('default')?.pets.pets.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5])
})

test('a log of version 0.1.0 is refused with what to do', async () => {
  const { log, file } = await crashed()
  const header = fs.readFileSync(log, 'utf8').split('\n', 1)[0] as string
  fs.writeFileSync(log, withChecksums(header, ['{"seq":2,"op":"table","pets":[]}']))
  await expect(open(file)).rejects.toThrow(
    `${log}, line 2: petstore-sandbox 0.1.0 wrote this log, and only that version can read it. Nothing was changed. Start that version with the data file and stop it again (npx petstore-sandbox@0.1.0), or start with --accept-data-file`,
  )
})

test('a log that was cut within its last line, at any byte, loses only that line', async () => {
  const { folder, log } = await crashed()
  const whole = fs.readFileSync(log)
  const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1
  const before = new Model(await found(join(asAfterCrash(folder), 'db.json'))).stored()
  for (let size = lastLine + 1; size < whole.length; size++) {
    fs.writeFileSync(log, whole.subarray(0, size))
    const torn = asAfterCrash(folder)
    const opened = await open(join(torn, 'db.json'))
    const { store, model, warnings, change } = opened
    expect(opened.found.get('default')?.pets).toEqual(tableOfSize(4))
    expect(warnings).toEqual([expect.stringMatching(/db\.json\.1\.log: the last line was cut off/)])
    expect(fs.readFileSync(join(torn, 'db.json.1.log'))).toEqual(whole.subarray(0, lastLine))
    // And later changes are appended.
    await change(create(5))
    expect(model.stored()).toEqual(before)
    await store.close(0)
    expect(await found(join(torn, 'db.json'))).toEqual(before)
  }
})

test('a newline that an editor added after the cut line does not matter', async () => {
  const { file, log } = await crashed()
  fs.appendFileSync(log, '{"seq":7,"namespace":"def\n')
  expect((await found(file)).get('default')?.pets).toEqual(tableOfSize(5))
})

test('a log with only a part of the first line is ignored', async () => {
  const { folder, file, log } = await crashed()
  fs.writeFileSync(log, '{"op":"log","se')
  const opened = await open(file)
  expect(opened.found.get('default')?.pets).toEqual(tableOfSize(3))
  expect(opened.warnings).toEqual([
    `${log}: this log was cut off in its first line. Unless a crash or a full disk left it so, confirmed changes are lost.`,
  ])
  expect(logsIn(folder)).toEqual([])
  await opened.store.close(0)
})

test('a start says that a log was empty, since nobody else can know what it had', async () => {
  const { folder, file, log } = await crashed()
  fs.truncateSync(log)
  const { warnings, store } = await open(file)
  expect(warnings).toEqual([
    `${log}: this log was empty. Unless a crash or a full disk left it so, confirmed changes are lost.`,
  ])
  expect(logsIn(folder)).toEqual([])
  await store.close(0)
})

describe('an invalid log is refused at the start, and no file is changed', () => {
  type Lines = [string, string, string, string]
  test.each<[string, (lines: Lines) => string[], number, string]>([
    ['garbage in the middle', ([a, , ...rest]) => [a, 'garbage', ...rest], 2, 'JSON'],
    ['garbage at the end', (lines) => [...lines.slice(0, 3), 'garbage', ''], 4, 'JSON'],
    ['a cut line in the middle', ([a, b, ...rest]) => [a, b.slice(0, 30), ...rest], 2, 'JSON'],
    ['an empty line', ([a, ...rest]) => [a, '', ...rest], 2, 'JSON'],
    ['a line less', ([a, , ...rest]) => [a, ...rest], 2, 'seq must be 3 here, but it is 4'],
    ['a line twice', ([a, ...rest]) => [a, a, ...rest], 2, 'seq must be 3 here, but it is 2'],
    ['lines in another order', ([a, b, c, ...rest]) => [a, c, b, ...rest], 2, 'seq must be 3 here'],
    ['no seq', ([a, ...rest]) => [a.replace('"seq":2,', ''), ...rest], 1, 'seq must be an integer'],
    ['an unknown op', ([a, ...rest]) => [a.replace('create', 'destroy'), ...rest], 1, 'op must be one of'],
    [
      'an unknown member',
      ([a, ...rest]) => [a.replace('"shelf"', '"shelve"'), ...rest],
      1,
      'shelve is not known',
    ],
    ['a bad pet', ([a, ...rest]) => [a.replace('"Pet 4"', '4'), ...rest], 1, 'pet.name must be a string'],
    [
      'an id again',
      ([a, b, c, ...rest]) => [a, b, c.replace('"id":5', '"id":4'), ...rest],
      3,
      'pet.id must be 5',
    ],
    [
      'a bad table',
      ([a, b, ...rest]) => [a, b.replace('"id":2', '"id":1'), ...rest],
      2,
      'pets contain the id 1 twice',
    ],
    [
      'a low counter',
      ([a, b, ...rest]) => [a, b.replace('"nextId":3', '"nextId":2'), ...rest],
      2,
      'nextId must',
    ],
  ])('%s', async (_, spoil, line, reason) => {
    const { folder, file, log } = await crashed()
    const [header = '', ...lines] = fs.readFileSync(log, 'utf8').split('\n')
    const spoilt = spoil(lines as Lines).slice(0, -1)
    fs.writeFileSync(log, withChecksums(header, spoilt))
    const before = contentOf(folder)
    const start = open(file)
    await expect(start).rejects.toMatchObject({ name: 'DataFileError', file: log, line: line + 1 })
    await expect(start).rejects.toThrow(reason)
    expect(contentOf(folder)).toEqual(before)
  })

  test('another encoding', async () => {
    const { file, log } = await crashed()
    const bytes = fs.readFileSync(log)
    bytes[bytes.lastIndexOf('Pet 5')] = 0xff
    fs.writeFileSync(log, bytes)
    await expect(open(file)).rejects.toMatchObject({ file: log, line: 4, reason: 'this is not UTF-8' })
  })

  test('the data file is gone', async () => {
    const { file, log } = await crashed()
    fs.rmSync(file)
    const message = `${file}: it is missing, while its log (${log}) is there. Nothing was changed. Put it back, use`
    await expect(open(file)).rejects.toThrow(message)
    await expect(open(file, { acceptDataFile: true })).rejects.toThrow(message)
  })

  test.each([
    ['although the line is valid JSON', '"Pet 9"'],
    ['to a NUL', '"Pet \0"'],
  ])('a byte was changed, %s', async (_, text) => {
    const { folder, file, log } = await crashed()
    fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('"Pet 4"', text))
    const before = contentOf(folder)
    await expect(open(file)).rejects.toMatchObject({
      file: log,
      line: 2,
      reason: 'the checksum of this line does not match: it was changed after it was written',
    })
    expect(contentOf(folder)).toEqual(before)
  })
})

describe('updated and deleted pets', () => {
  /** A log with the update of a pet of the data file and the deletion of another one. */
  const changed = () => crashed([update(2, 'Kit'), remove(3)])
  const kit = { id: 2, name: 'Kit', categoryId: 1, status: 'sold' }

  test('are found after a crash; the id of a deleted one is not used again, also from the data file', async () => {
    const { file, log } = await changed()
    const lines = fs.readFileSync(log, 'utf8').split('\n').slice(1, -1)
    expect(lines.map((line) => line.replace(/,"crc":\d+\}$/, '}'))).toEqual([
      '{"seq":2,"namespace":"default","op":"update","shelf":"pets","pet":{"id":2,"name":"Kit","categoryId":1,"status":"sold"}}',
      '{"seq":3,"namespace":"default","op":"delete","shelf":"pets","id":3}',
    ])
    const { store, found: pets } = await open(file)
    expect(pets.get('default')?.pets).toEqual({ pets: [tableOfSize(1).pets[0], kit], nextId: 4 })
    expect(store.found.get('default')?.pets.count('sold')).toBe(1)
    await store.close(10_000)
    expect(await found(file)).toEqual(pets)
    expect(fs.readFileSync(file, 'utf8')).toContain('"nextId": 4')
  })

  test.each<[string, (lines: string[]) => string[], number, string]>([
    ['a change of none', ([a = '', b = '']) => [a.replace('"id":2', '"id":7'), b], 2, 'there is no pet 7'],
    ['a deletion of none', ([a = '', b = '']) => [a, b.replace('"id":3', '"id":4')], 3, 'there is no pet 4'],
    [
      'a deletion in another namespace',
      ([a = '', b = '']) => [a, b.replace('"default"', '"w1"')],
      3,
      'no pet 3',
    ],
    [
      'a deletion of a word',
      ([a = '', b = '']) => [a, b.replace('"id":3', '"id":"3"')],
      3,
      'id must be an integer',
    ],
    [
      'its id again',
      ([a = '', b = '']) => [
        a,
        b,
        a.replace('update', 'create').replace('"seq":2', '"seq":4').replace('"id":2', '"id":3'),
      ],
      4,
      'pet.id must be 4 or more',
    ],
  ])('%s stops the start', async (_, spoil, line, reason) => {
    const { folder, file, log } = await changed()
    const [header = '', ...lines] = fs.readFileSync(log, 'utf8').split('\n')
    fs.writeFileSync(log, withChecksums(header, spoil(lines.slice(0, -1))))
    const before = contentOf(folder)
    await expect(open(file)).rejects.toMatchObject({ name: 'DataFileError', file: log, line })
    await expect(open(file)).rejects.toThrow(reason)
    expect(contentOf(folder)).toEqual(before)
  })
})
