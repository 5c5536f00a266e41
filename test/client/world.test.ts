import { expect, it } from 'vitest'
import { createCore } from '../../src/compose/core.ts'
import { createSandbox } from '../../src/compose/sandbox.ts'

it('refuses what would address another world, another time, or nothing', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const world = sandbox.namespace('w1')
  for (const ofKey of [world.limits, world.keys.revoke])
    await expect(ofKey('psk_free.w2').catch((error) => error.message)).resolves.toContain(
      'psk_free.w2 names the namespace w2, but this call acts on w1; leave out .w2, or use the namespace w2',
    )
  expect(() => sandbox.namespace('*').key()).toThrow('"*" has no keys; name one namespace')
  expect((await world.limits('psk_free.w1')).plan).toBe('free')
  expect(() => world.at(undefined as unknown as string)).toThrow('"undefined" is not a point')
  for (const name of ['', '.', '..', undefined as unknown as string])
    await expect(world.snapshots.restore(name)).rejects.toThrow(`name: "${name}" is not valid`)
  await expect(world.clock.set(new Date(Number.NaN))).rejects.toThrow('not "Invalid Date"')
})

it('a refusal of an argument names the function, what it was given and what is valid', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const { clock, faults, keys } = sandbox
  const none = undefined as never
  const seed = 'a JSON object with fixture, pets, '
  const refused: [() => unknown, string][] = [
    [() => sandbox.seed('busy' as never), `seed("busy"): The body must be ${seed}`],
    [() => sandbox.seed(none), `seed(null): The request needs a body: ${seed}`],
    [
      () => clock.advance(none),
      'clock.advance(null): the body must have at least one of advance, set, frozen',
    ],
    [() => clock.advance(5 as never), 'clock.advance(5): advance must be a duration such as 500ms'],
    [() => sandbox.rewind(none), 'rewind(null): The request needs a body: a JSON object with to, side, undo'],
    [() => faults.add('x' as never), 'faults.add("x"): The body must be a JSON object with match, effect'],
    [() => sandbox.at(none), 'at(null): "undefined" is not a point'],
    [() => keys.revoke(none), 'keys.revoke(null): key: "undefined" is not valid'],
    [() => faults.remove(none), 'faults.remove(null): id: "undefined" is not valid'],
    [() => sandbox.key('gold'), 'key("gold"): "gold" is not a plan'],
  ]
  for (const [act, message] of refused) {
    const error = (await (async () => act())().catch((thrown: Error) => thrown)) as Error
    expect(error.message).toContain(message)
    expect(error.stack).toContain(`${error.name}: ${message}`)
  }
  await expect(sandbox.verify({}, { exactly: 1 })).rejects.toThrow(/^Expected exactly 1/)
})

it.each([
  [null, 'null'],
  [5, '5'],
  [[], '[]'],
  [new Map([['seed', 7]]), '[object Map]'],
  [new Date(0), String(new Date(0))],
])('the options cannot be %j', async (options, shown) => {
  await expect(createSandbox(options as never)).rejects.toThrow(`: ${shown} is not an object with options`)
  await expect(createCore(options as never)).rejects.toThrow(`: ${shown} is not an object with options`)
})

it('refuses an unknown member of a wait, and reads null as none', async () => {
  await using sandbox = await createSandbox({ listen: false })
  const within = { with: '1s' } as never
  await expect(sandbox.verify({}, { exactly: 0 }, within)).rejects.toThrow('with is not known here')
  await expect(sandbox.waitFor({}, within)).rejects.toThrow('with is not known here')
  expect(await sandbox.verify({}, { exactly: 0 }, null as never)).toEqual({ matched: 0 })
})

it('refuses a value that is not an object where one is needed', async () => {
  await using sandbox = await createSandbox({ listen: false })
  for (const bare of ['5s', '', 5000, true, ['5s'], () => '5s'] as never[]) {
    const refused = `waiting: "${String(bare)}" is not an object; use one such as { within: '5s' }`
    await expect(sandbox.verify({}, { exactly: 0 }, bare)).rejects.toThrow(refused)
    await expect(sandbox.waitFor({}, bare)).rejects.toThrow(refused)
    await expect(sandbox.requests(bare)).rejects.toThrow(`filter: "${String(bare)}" is not an object`)
  }
  await expect(sandbox.waitFor({}, '5s' as never)).rejects.toThrow(/^waitFor\({}, "5s"\): waiting/)
})

it('refuses an invalid name at once', async () => {
  await using sandbox = await createSandbox({ listen: false })
  expect((await sandbox.namespace('*').report()).requests).toBe(0)
  for (const name of ['bad name!', '', 'a.b', 'x'.repeat(65), undefined])
    expect(() => sandbox.namespace(name as string)).toThrow(
      `"${name}" is not a valid namespace; use 1 to 64 of A-Z a-z 0-9 _ -`,
    )
})

it('lists rules and snapshots, and sets the clock back to real time', async () => {
  await using sandbox = await createSandbox({ listen: false, now: '2030-01-01T00:00:00Z', freeze: true })
  const { clock, faults, snapshots } = sandbox.namespace('w1')
  await faults.add({ effect: { status: 503 } })
  await snapshots.save('before')
  expect(await faults.list()).toMatchObject([{ id: 'fault_1', effect: { status: 503 } }])
  expect(await snapshots.list()).toMatchObject([{ name: 'before', pets: 12 }])
  await clock.set('2031-01-01T00:00:00Z')
  expect(await clock.resume()).toMatchObject({ frozen: false })
  const { now } = await clock.reset()
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000)
})

it('sets and restores the quota of a key, bans it and lifts the ban', async () => {
  await using sandbox = await createSandbox({ listen: false, now: '2030-01-01T00:00:30Z', freeze: true })
  const { keys, ...world } = sandbox.namespace('w1')
  const status = async () =>
    (await sandbox.fetch('/v1/pets', { headers: { authorization: `Bearer ${world.key()}` } })).status
  expect(await keys.setLimits('psk_pro', { remaining: 1 })).toMatchObject({ minute: { remaining: 1 } })
  expect([await status(), await status()]).toEqual([200, 429])
  await keys.refill('psk_pro')
  expect(await status()).toBe(200)
  await keys.ban('psk_pro', { seconds: 5 })
  expect(await status()).toBe(429)
  await keys.liftBan('psk_pro')
  expect(await status()).toBe(200)
})
