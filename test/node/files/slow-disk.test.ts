import fs from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished, vi } from 'vitest'
import { recordingWriter } from '../../../src/node/files/recording-writer.ts'
import type { RecordedLine } from '../../../src/past/recording.ts'
import { temporaryFolder } from '../../support/folder.ts'

async function* head(): AsyncGenerator<string> {
  yield '{}\n'
}

it.each(['run.jsonl', 'run.jsonl.gz'])(
  'a recording ends with a warning if too much waits for the disk: %s',
  async (name) => {
    const warn = vi.fn()
    const writer = recordingWriter(join(temporaryFolder(), name), () => {}, warn)
    await writer.begin(head())
    const written: (() => void)[] = []
    // Writes stay pending until the end of the test.
    const write = vi.spyOn(fs, 'write').mockImplementation(((...args: unknown[]) => {
      const [buffer, done] = [args[1] as Buffer, args.at(-1) as (error: null, bytes: number) => void]
      written.push(() => done(null, buffer.length))
    }) as never)
    const writev = vi.spyOn(fs, 'writev').mockImplementation((() => {}) as never)
    onTestFinished(() => {
      write.mockRestore()
      writev.mockRestore()
    })
    // Text that gzip cannot compress.
    const text = () => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64')
    let lines = 0
    for (; lines < 1000 && warn.mock.calls.length === 0; lines++) {
      writer.write({ body: text() } as unknown as RecordedLine)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('the disk is too slow: 16 MiB wait'))
    // Each line has 80 KB.
    expect(lines).toBeGreaterThan(150)
    expect(lines).toBeLessThan(450)
    for (const done of written) done()
  },
)

it('a compressed recording keeps up with a busy event loop that brings many long lines in a turn', async () => {
  const warn = vi.fn()
  const file = join(temporaryFolder(), 'run.jsonl.gz')
  const writer = recordingWriter(file, () => {}, warn)
  await writer.begin(head())
  const line = { body: 'a line '.repeat(10_000) } as unknown as RecordedLine
  // 28 MB, of which 16 MiB may wait.
  for (let turn = 0; turn < 20; turn++) {
    for (let i = 0; i < 20; i++) writer.write(line)
    for (const until = performance.now() + 20; performance.now() < until; );
    await new Promise((resolve) => setImmediate(resolve))
  }
  await writer.close()
  expect(warn).not.toHaveBeenCalled()
  expect(gunzipSync(fs.readFileSync(file)).toString().split('\n')).toHaveLength(1 + 400 + 1)
})
