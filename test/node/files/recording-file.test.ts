import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readRecordingFile } from '../../../src/node/files/recording-file.ts'
import { RecordingError } from '../../../src/past/recording.ts'
import { HEAD } from '../../past/head.ts'

const file = join(mkdtempSync(join(tmpdir(), 'petstore-recording-')), 'run.jsonl')
const TEXT = `${JSON.stringify(HEAD)}\n{"end":0,"at":7}\n`

it('is read with a byte order mark, and decompressed', () => {
  for (const content of [TEXT, `\ufeff${TEXT}`, gzipSync(TEXT)]) {
    writeFileSync(file, content)
    expect(readRecordingFile(file)).toMatchObject({ head: HEAD, endedAt: 7 })
  }
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
    () => writeFileSync(file, gzipSync(Buffer.alloc(257 * 2 ** 20))),
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
    'formats that there never were',
    () => writeFileSync(file, JSON.stringify({ ...HEAD, recording: 0 })),
    'Its first line is not whole',
  ],
])('%s are refused in words', (_, write, message) => {
  write()
  expect(() => readRecordingFile(file)).toThrow(RecordingError)
  expect(() => readRecordingFile(file)).toThrow(`${file} cannot be replayed. ${message}`)
})
