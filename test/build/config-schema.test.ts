import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { configSchema } from '../../build/config-schema.ts'
import { readOptions } from '../../src/config/table.ts'
import { UsageError } from '../../src/config/usage-error.ts'
import { resolvePolicy } from '../../src/contract/decisions/decisions.ts'

describe('the JSON Schema of the configuration file', () => {
  const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
    configSchema(),
  )

  it('accepts all options of the program', () => {
    const configuration = {
      $schema: './node_modules/petstore-sandbox/dist/config.schema.json',
      port: 0,
      memory: true,
      fixture: 'busy',
      limits: { free: '5/unlimited', enterprise: { perMinute: null, perDay: 7 } },
      decisions: {
        'cors.origins': ['https://a.example'],
        'ban.after': 'plan',
        'ban.enabled': false,
        'ban.status': 403,
        'errors.codes': { pet_not_found: 'missing' },
        'get.removedOn': '2027-01-01',
      },
      latency: '100ms-300ms',
      log: 'json',
      readyFile: 'ready.json',
      faults: [{ match: { path: '/pets/*' }, effect: { status: 503, code: 'down', message: 'x' }, times: 2 }],
      keys: [{ key: 'ours', plan: 'pro', expiresAt: '2030-12-05T00:00:00Z', revoked: true, issued: true }],
    }
    expect(validate(configuration), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each(['256MiB', '1048576', 1048576])('accepts the size %j', (maxState) => {
    expect(validate({ maxState }), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each([
    { 'get.afterRemoval': 404, 'get.invalidId': 400, orders: 404, 'ban.status': '403', 'ban.seconds': '5' },
    { 'get.afterRemoval': 'serve', 'get.invalidId': '400', orders: 'mock', 'ban.status': 403 },
  ])('accepts a number as a number and as text: %j', (decisions) => {
    expect(validate({ decisions }), JSON.stringify(validate.errors)).toBe(true)
    expect(() => resolvePolicy(decisions)).not.toThrow()
  })

  it.each([
    [{ memory: 'yes', freeze: 'off', fresh: 1, decisions: { 'ban.enabled': 'false' } }, true],
    [{ strict: 'maybe' }, false],
    [{ decisions: { 'ban.enabled': 'off' } }, false],
    [
      { decisions: { 'ban.seconds': '123456789', 'plans.free': { perMinute: 2147483647, perDay: null } } },
      true,
    ],
    [{ decisions: { 'ban.seconds': '9999999999' } }, false],
    [{ decisions: { 'ban.seconds': 2147483648 } }, false],
    [{ seed: Number.MAX_SAFE_INTEGER + 1 }, false],
    [{ maxState: '256MB' }, false],
    [{ controlOrigins: 'http://localhost:6006' }, true],
    [{ controlOrigins: ['http://localhost:6006'] }, true],
  ])('agrees with the program about %j', (configuration, isValid) => {
    const read = () => readOptions(configuration, (name) => name)
    expect(validate(configuration)).toBe(isValid)
    if (isValid) expect(read).not.toThrow()
    else expect(read).toThrow(UsageError)
  })

  it.each([
    [{ prot: 1 }],
    [{ maxState: 1.5 }],
    [{ config: 'x' }],
    [{ listen: false }],
    [{ port: 65536 }],
    [{ log: 'loud' }],
    [{ limits: { gold: '1/1' } }],
    [{ decisions: { 'list.limit': 'clmp' } }],
    [{ decisions: { nope: 1 } }],
    [{ decisions: { 'get.afterRemoval': 405 } }],
    [{ decisions: { 'ban.after': 'plans' } }],
    [{ faults: [{ effect: { status: 200 } }] }],
    [{ keys: [{ key: 'a.b', plan: 'pro' }] }],
    [{ decisions: { 'errors.codes': { nope: 'x' } } }],
  ])('refuses %j', (configuration) => {
    expect(validate(configuration)).toBe(false)
  })
})
