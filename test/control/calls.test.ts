import { describe, expect, it, onTestFinished } from 'vitest'
import { createSandbox } from '../../src/compose/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { apiOf, controlOf, failing } from './client.ts'

async function open() {
  const sandbox = await createSandbox({ listen: false, db: `${temporaryFolder()}/db.json` })
  onTestFinished(() => sandbox.close())
  const call = controlOf(sandbox.fetch)
  const create = (name: string) => apiOf(sandbox.fetch)('/pets', { json: { name, categoryId: 1 } })
  // The first control call loads the control API.
  expect((await create('Kit')).status).toBe(201)
  await sandbox.snapshots.save('base')
  return { sandbox, call, create }
}

describe('a call in the same turn as a change that cannot be stored', () => {
  it.each([
    ['POST', '/clock', { advance: '1s' }],
    ['POST', '/faults', { effect: { status: 500 } }],
    ['PUT', '/label', { label: 'a test' }],
    ['POST', '/reset', { only: ['requests'] }],
  ])('is in effect if it stores nothing: %s %s', async (method, path, body) => {
    const { call, create } = await open()
    const disk = failing('writeSync')
    const [created, called] = await Promise.all([create('Rex'), call(method, path, body)])
    disk.mockRestore()
    expect([created.status, called.status]).toEqual([503, expect.toSatisfy((status) => status < 300)])
    expect((await call('GET', '/history')).body.at(-1).what).not.toMatch(/^not stored/)
  })

  it('is refused if it stores something, or is refused anyway', async () => {
    const { call, create } = await open()
    const disk = failing('writeSync')
    const answers = await Promise.all([
      create('Rex'),
      call('POST', '/keys', { plan: 'pro', key: 'mine' }),
      call('POST', '/keys', { plan: 'pro', key: 'mine' }),
    ])
    disk.mockRestore()
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
  })
})

describe('a request whose change could not be stored', () => {
  it.each([
    ['a rewind to before it that could not be stored either', []],
    ['such a rewind and a reset of the report', ['requests']],
  ])('is shown as refused, after %s', async (_, only) => {
    const { sandbox, call, create } = await open()
    const disk = failing('writeSync')
    const [created, rewound] = await Promise.all([
      create('Rex'),
      call('POST', '/rewind', { to: 'req_000001' }),
      ...(only.length > 0 ? [call('POST', '/reset', { only })] : []),
    ])
    disk.mockRestore()
    expect([created.status, rewound.status]).toEqual([503, 503])
    expect((await sandbox.requests()).map(({ status }) => status)).toEqual([201, 503])
    expect((await sandbox.report()).coverage).toEqual({ createPet: { 201: 1, 503: 1 } })
  })
})

it('a drop after which snapshots are still there is answered with their names', async () => {
  const { sandbox, call } = await open()
  await sandbox.namespace('w1').snapshots.save('mine')
  const disk = failing('rmSync')
  const { status, body } = await call('DELETE', '/namespaces/w1')
  disk.mockRestore()
  expect(status).toBe(503)
  expect(body.message).toContain(
    'The namespace w1 was dropped, but its snapshots could not be deleted (mine).',
  )
  expect((await call('DELETE', '/snapshots/mine?namespace=w1')).status).toBe(204)
})
