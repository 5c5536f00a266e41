import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { runChild } from './child.ts'
import { asAfterCrash } from './folder.ts'
import { create, pet, remove } from './model.ts'
import { open } from './opened.ts'

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
const refusal = { name: 'ApiError', code: 'service_unavailable', status: 503 }

/** Limits the number of bytes that the disk accepts from now on. */
function leaveRoomFor(bytes: number) {
  const { writeSync } = fs
  let room = bytes
  return vi.spyOn(fs, 'writeSync').mockImplementation(((...args: Parameters<typeof writeSync>) => {
    const [handle, buffer, offset, length, position] = args as unknown as [
      number,
      Buffer,
      number,
      number,
      number,
    ]
    if (room === 0) throw full
    const written = writeSync(handle, buffer, offset, Math.min(length, room), position)
    room -= written
    return written
  }) as never)
}

test('an incomplete write is undone, with all changes that waited after it; later ones succeed', async () => {
  const folder = temporaryFolder()
  const { model, change, warnings } = await open(join(folder, 'db.json'))
  await change(create(1))
  const whole = fs.readFileSync(join(folder, 'db.json.0.log'))

  const disk = leaveRoomFor(150)
  const before = model.stored()
  const refused = await Promise.allSettled([
    change(create(2)),
    change(remove(1)),
    change({ op: 'keys', namespace: 'default', keys: [] }),
  ])
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await expect(change(create(2))).rejects.toMatchObject(refusal)
  expect(model.stored()).toEqual(before)
  expect(fs.readFileSync(join(folder, 'db.json.0.log'))).toEqual(whole)
  expect(warnings).toEqual([expect.stringMatching(/db\.json\.0\.log: ENOSPC/)])

  disk.mockRestore()
  await change(create(4))
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
  expect(model.stored().get('default')?.pets.pets).toEqual([pet(1), pet(4)])
})

test('while an incomplete write cannot be truncated, nothing is written after it', async () => {
  const folder = temporaryFolder()
  const { model, change } = await open(join(folder, 'db.json'))
  await change(create(1))
  const disk = leaveRoomFor(20)
  const cut = vi.spyOn(fs, 'ftruncateSync').mockImplementation(() => {
    throw new Error('EIO: i/o error, ftruncate')
  })
  await expect(change(create(2))).rejects.toMatchObject(refusal)
  disk.mockRestore()
  await expect(change(create(2))).rejects.toMatchObject(refusal)
  cut.mockRestore()
  await change(create(3))
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
})

test('if the first write fails, no file remains', async () => {
  const folder = temporaryFolder()
  const { store, change } = await open(join(folder, 'db.json'))
  const disk = leaveRoomFor(10)
  await expect(change(create(1))).rejects.toMatchObject(refusal)
  disk.mockRestore()
  await store.close(1000)
  expect(fs.readdirSync(folder)).toEqual([])
})

test('a limit on file size: after a kill, confirmed changes exist and refused ones do not', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'db.json')
  const child = runChild('disk-full.child.ts', [file], 'ulimit -f 64;')
  const { confirmed, codes, warnings } = JSON.parse((await child.line()) ?? '')
  await child.ended
  expect(codes).toEqual(['service_unavailable'])
  expect(warnings[0]).toContain('EFBIG')
  expect(confirmed.length).toBeGreaterThan(100)
  const start = await open(file)
  expect(start.warnings).toEqual([])
  expect(start.found.get('default')?.pets.pets.map(({ id }) => id)).toEqual(confirmed)
})

test('a disk that is full, and later has space again', async ({ skip }) => {
  const folder = temporaryFolder()
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], {
    encoding: 'utf8',
  })
  if (status !== 0) skip(`no small disk can be mounted here: ${stderr ?? 'there is no mount command'}`)
  onTestFinished(() => void spawnSync('umount', [folder]))
  const { store, model, change, warnings } = await open(join(folder, 'db.json'))
  const ballast = join(folder, 'ballast')
  fs.writeFileSync(ballast, Buffer.alloc(128 * 1024))
  let refused = 0
  for (let id = 1; id <= 3000; id++) await change(create(id)).catch(() => refused++)
  expect(refused).toBeGreaterThan(0)
  expect(warnings[0]).toMatch(/ENOSPC/)
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())

  fs.rmSync(ballast)
  await change(create(9999))
  expect((await open(join(asAfterCrash(folder), 'db.json'))).found).toEqual(model.stored())
  // The changes are in the log, or in the data file if it was rewritten meanwhile.
  await store.close(0)
  expect((await open(join(folder, 'db.json'))).found).toEqual(model.stored())
})
