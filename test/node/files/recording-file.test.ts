import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { deleteRecording } from '../../../src/node/files/recording-file.ts'
import { readRecordingFile } from '../../../src/node/files/recording-reader.ts'
import { recordingWriter } from '../../../src/node/files/recording-writer.ts'
import { RecordingError } from '../../../src/past/recording.ts'
import { HEAD } from '../../past/head.ts'
import { temporaryFolder } from '../../support/folder.ts'

const file = join(temporaryFolder(), 'run.jsonl')
const TEXT = `${JSON.stringify(HEAD)}\n{"end":0,"at":7}\n`

it('is read with a byte order mark, and decompressed', async () => {
  for (const content of [TEXT, `\ufeff${TEXT}`, gzipSync(TEXT)]) {
    writeFileSync(file, content)
    expect(await readRecordingFile(file)).toMatchObject({ head: HEAD, endedAt: 7 })
  }
})

it('is named whole if it cannot be read, unless no path is that long', async () => {
  const folder = join(temporaryFolder(), 'long'.repeat(60))
  mkdirSync(folder)
  await expect(readRecordingFile(folder)).rejects.toThrow(`${folder} cannot be replayed: it is a folder`)
  const { message }: Error = await readRecordingFile(TEXT.repeat(100)).catch((error) => error)
  expect(message.length).toBeLessThan(4500)
})

it.each<[string, () => void, string]>([
  [
    'gzip data that is damaged',
    () => {
      const bytes = gzipSync(TEXT.repeat(100))
      bytes.fill(0xff, 20, 30)
      writeFileSync(file, bytes)
    },
    'Its gzip data is damaged (',
  ],
  [
    'zip bombs',
    () => writeFileSync(file, gzipSync(Buffer.alloc(257 * 2 ** 20), { level: 1 })),
    'It unpacks to more than 256 MiB',
  ],
  [
    'files that are too large',
    () => {
      writeFileSync(file, TEXT)
      truncateSync(file, 300 * 2 ** 20)
    },
    'It has 300 MiB; at most 256 MiB are read',
  ],
  [
    'texts in UTF-16',
    () => writeFileSync(file, Buffer.from(`\uFEFF${TEXT}`, 'utf16le')),
    'It is UTF-16 text; save it as UTF-8',
  ],
  [
    'formats that there never were',
    () => writeFileSync(file, JSON.stringify({ ...HEAD, recording: 0 })),
    'Its first line is incomplete or damaged',
  ],
])('%s are refused with a message', async (_, write, message) => {
  write()
  const refused: unknown = await readRecordingFile(file).catch((error) => error)
  expect(refused).toBeInstanceOf(RecordingError)
  expect((refused as Error).message).toContain(`${file} cannot be replayed. ${message}`)
})

describe('a file for a recording', () => {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  const record = async (file: string) => {
    const writer = recordingWriter(
      file,
      () => {},
      () => {},
    )
    await writer.begin(
      (async function* () {
        yield `${JSON.stringify(HEAD)}\n`
      })(),
    )
    await writer.close()
  }

  it.each(['new.jsonl', 'new.jsonl.gz'])(
    'only its owner can read %s, also after it is written again',
    async (name) => {
      writeFileSync(path(name), '', { mode: 0o644 })
      for (const _ of [1, 2]) {
        await record(path(name))
        expect(statSync(path(name)).mode & 0o777).toBe(0o600)
        expect((await readRecordingFile(path(name))).head).toEqual(HEAD)
        chmodSync(path(name), 0o644)
      }
      deleteRecording(path(name))
      expect(existsSync(path(name))).toBe(false)
    },
  )

  it.each<[string, string, (file: string) => void]>([
    ['another file', 'is not a recording', (file) => writeFileSync(file, '{"level":"info"}\n')],
    [
      'gzip of another text',
      'is not a recording',
      (file) => writeFileSync(file, gzipSync('{"a":1}'.repeat(1e6))),
    ],
    ['a damaged file', 'is not a recording', (file) => writeFileSync(file, Buffer.from('1f8b0000', 'hex'))],
    ['a link', 'is a link', (file) => symlinkSync(path('target.txt'), file)],
    ['a pipe', 'is not a regular file', (file) => execFileSync('mkfifo', [file])],
  ])('%s is not overwritten', async (name, words, make) => {
    const file = path(`${name}.jsonl`)
    writeFileSync(path('target.txt'), 'precious')
    make(file)
    const kind = lstatSync(file)
    const text = kind.isFile() ? readFileSync(file, 'latin1') : ''
    await expect(record(file)).rejects.toThrow(`${file} ${words} and stays as it is; record in a new file`)
    deleteRecording(file)
    expect(lstatSync(file)).toMatchObject({ ino: kind.ino, mode: kind.mode })
    if (kind.isFile()) expect(readFileSync(file, 'latin1')).toBe(text)
    expect(readFileSync(path('target.txt'), 'utf8')).toBe('precious')
  })
})

it('other work continues while a long first line is written, also at its end', async () => {
  const target = join(temporaryFolder(), 'long.jsonl')
  const text = JSON.stringify({ ...HEAD, origin: 'x'.repeat(2_000_000) })
  const writer = recordingWriter(
    target,
    () => {},
    (warning) => expect.fail(warning),
  )
  let turns = 0
  const count = () => {
    turns++
    setImmediate(count).unref()
  }
  setImmediate(count).unref()
  void writer.begin(
    (async function* () {
      for (let at = 0; at < text.length; at += 10_000) yield text.slice(at, at + 10_000)
      yield '\n'
    })(),
  )
  writer.write({ end: 0, at: 7 })
  await writer.close()
  expect(turns).toBeGreaterThan(20)
  expect(readFileSync(target, 'utf8')).toBe(`${text}\n{"end":0,"at":7}\n`)
})

it('is refused while another recording writes the file, which stays as it is', async () => {
  const path = join(temporaryFolder(), 'run.jsonl')
  const first = recordingWriter(path, expect.fail, expect.fail)
  const head = async function* () {
    yield `${JSON.stringify(HEAD)}\n`
  }
  await first.begin(head())
  const second = recordingWriter(path, expect.fail, expect.fail)
  await expect(second.begin(head())).rejects.toThrow(/it is in use by process .* or record in another file/)
  first.write({ end: 0, at: 7 })
  await first.close()
  expect(await readRecordingFile(path)).toMatchObject({ head: HEAD, endedAt: 7 })
  const third = recordingWriter(path, expect.fail, expect.fail)
  await third.begin(head())
  await third.close()
  expect(existsSync(`${path}.lock`)).toBe(false)
})
