import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runCli } from './run-cli.ts'

it('requires the number of a command if its id is not unique', async () => {
  const file = join(temporaryFolder(), 'run.jsonl')
  const sandbox = await createSandbox({ listen: false, record: file })
  for (const key of ['psk_pro', 'psk_pro.w1', 'psk_pro.w1']) {
    const response = await sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } })
    await response.text()
  }
  await sandbox.close()

  const ambiguous = await runCli(['replay', file, '--until', 'req_000001'])
  expect(ambiguous).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      '"req_000001" is the id of 2 requests of the recording; use the number of one of them: 1 (GET /v1/pets, namespace default), 2 (GET /v1/pets, namespace w1)',
    ),
  })
  const unique = await runCli(['replay', file, '--until', 'req_000002'])
  expect(unique).toMatchObject({ code: 0, out: 'Replayed 3 commands. All 3 responses are identical.\n' })
  const byNumber = await runCli(['replay', file, '--until', '2'])
  expect(byNumber).toMatchObject({ code: 0, out: 'Replayed 2 commands. All 2 responses are identical.\n' })
})

it('names the recording with an invalid option', async () => {
  const file = join(temporaryFolder(), 'run.jsonl')
  await (await createSandbox({ listen: false, record: file })).close()
  const recorded = readFileSync(file, 'utf8')
  const errorOf = async (options: object) => {
    writeFileSync(file, recorded.replace('"options":{}', `"options":${JSON.stringify(options)}`))
    const { code, err } = await runCli(['replay', file])
    expect(code).toBe(2)
    return err
  }
  expect(await errorOf({ seed: -1, latency: 'x' })).toMatch(
    /: \S+run\.jsonl: option latency: "x" .*\n\S+run\.jsonl: option seed: -1 is not a valid seed; /,
  )
  expect(await errorOf({ keys: [{ key: 'a' }] })).toMatch(/: \S+run\.jsonl: keys\[0\]\.plan is required\n$/)
})

it('compares a delayed reply also if it is the last one', async () => {
  const file = join(temporaryFolder(), 'run.jsonl')
  const sandbox = await createSandbox({ listen: false, record: file })
  await sandbox.faults.add({ match: { operationId: 'getPet' }, effect: { latency: '20ms' } })
  for (const id of [1, 2]) {
    const headers = { authorization: 'Bearer psk_pro' }
    await (await sandbox.fetch(`/v1/pets/${id}`, { headers })).text()
  }
  await sandbox.close()
  const until = await runCli(['replay', file, '--until', '2'])
  expect(until.out).toBe('Replayed 2 commands. All 2 responses are identical.\n')

  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.pop()).toContain('"end"')
  writeFileSync(file, lines.join('\n').replace('"name":"Bella', '"name":"Rex'))
  const cut = await runCli(['replay', file])
  expect(cut).toMatchObject({ code: 3, out: expect.stringContaining('is the response to command 3') })
})

it('does not overwrite the recording with a report', async () => {
  const file = join(temporaryFolder(), 'run.jsonl')
  await (await createSandbox({ listen: false, record: file })).close()
  const before = readFileSync(file, 'utf8')
  const { code, err } = await runCli(['replay', file, '--report', `json=${file}`])
  expect(err).toContain('run.jsonl is named twice')
  expect(code).toBe(2)
  expect(readFileSync(file, 'utf8')).toBe(before)
})
