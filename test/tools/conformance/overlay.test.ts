import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../../src/compose/sandbox.ts'
import { loadContract } from '../../../src/compose/start-files.ts'
import type { ConformanceReport } from '../../../src/views/conformance.ts'
import { check, idsOf, resultOf } from './check.ts'
import { type SchemaChanges, withActions, withOverlay } from './overlay.ts'

const ADDED = {
  chip: { type: 'integer', format: 'int64' },
  bornOn: { type: 'string', format: 'date' },
  nickname: { type: 'string', maxLength: 8 },
  owner: {
    type: 'object',
    required: ['phone'],
    properties: { phone: { type: 'integer', format: 'int64' }, email: { type: 'string', format: 'email' } },
  },
  category: { type: 'string' },
  tags: { type: 'array', maxItems: 3, uniqueItems: true, items: { type: 'string' } },
  weight: { type: 'number', minimum: 0, maximum: 99 },
  neutered: { type: 'boolean' },
}
const ofPet = (change: object): SchemaChanges => ({ Pet: change, NewPet: change })
const STRICT = ofPet({ required: ['chip', 'owner'], properties: ADDED })

/** Checks a sandbox with one schema of a pet against another schema. */
const checkServed = (served: SchemaChanges, expected: SchemaChanges): Promise<ConformanceReport> =>
  checkOverlaid(withOverlay(served), withOverlay(expected), 'empty')

async function checkOverlaid(
  overlay: string,
  checked: string,
  fixture: string,
  more: object = {},
): Promise<ConformanceReport> {
  await using sandbox = await createSandbox({ listen: false, fixture, overlay })
  return await check({
    baseUrl: sandbox.baseUrl,
    key: 'psk_free',
    contract: await loadContract([checked]),
    allowWrites: true,
    async fetch(input, init) {
      const response = await sandbox.fetch(input, init)
      const json = response.status < 400 ? undefined : await response.json()
      return json ? Response.json({ ...json, ...more }, response) : response
    },
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.round(milliseconds)}ms`),
  })
}

describe('the fields that an overlay adds', () => {
  it('are sent, refused if they are invalid, and expected in responses', async () => {
    const report = await checkServed(STRICT, STRICT)
    expect(idsOf(report, 'failed')).toEqual([])
    const added = /chip|bornOn|nickname|owner|bad-body-category-n|tags|weight|neutered/
    expect(idsOf(report, 'passed').filter((id) => added.test(id))).toEqual(
      [
        'no-chip',
        'no-owner',
        'no-owner.phone',
        'chip-text',
        'chip-null',
        'chip-fraction',
        'chip-range',
        'bornOn-number',
        'bornOn-null',
        'bornOn-format',
        'nickname-number',
        'nickname-null',
        'nickname-long',
        'owner-text',
        'owner.phone-text',
        'owner.phone-null',
        'owner.phone-fraction',
        'owner.phone-range',
        'owner.email-number',
        'owner.email-null',
        'owner.email-format',
        'category-number',
        'category-null',
        'tags-text',
        'tags-twice',
        'tags-many',
        'tags[0]-number',
        'tags[0]-null',
        'weight-text',
        'weight-low',
        'weight-high',
        'neutered-text',
      ].map((id) => `bad-body-${id}`),
    )
    expect(resultOf(report, 'bad-body-no-owner.phone').title).toBe(
      'createPet with a body without owner.phone is 400',
    )
    expect(resultOf(report, 'pet-schema').title).toMatch(/: id, name, categoryId, .*status, .*chip, bornOn/)
    expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(['create', 'int64-digits']))
    expect(new Set(report.checks.map(({ id }) => id)).size).toBe(report.checks.length)
  })

  it('are refused if they are invalid and may be null, or have values that are no text', async () => {
    const nullable = true
    const properties = {
      age: { type: 'integer', format: 'int64', nullable },
      bornOn: { type: 'string', format: 'date', nullable },
      rank: { type: 'integer', enum: [1, 2] },
      size: { type: ['string', 'null'], enum: [null, 'L', 'small'] },
      owner: { $ref: '#/components/schemas/Owner', nullable },
      mood: { oneOf: [{ type: 'string', enum: ['calm'] }, { type: 'null' }] },
    }
    const Owner = { type: 'object', required: ['phone'], properties: { phone: { type: 'integer' } } }
    const update = { Owner, ...ofPet({ properties }) }
    const overlay = withActions([{ target: '$.components.schemas', update }])
    const report = await checkOverlaid(overlay, overlay, 'empty')
    expect(idsOf(report, 'failed')).toEqual([])
    const sent = idsOf(report, 'passed').filter((id) => /age|bornOn|rank|size|owner|mood/.test(id))
    expect(sent.map((id) => id.replace('bad-body-', ''))).toEqual([
      'no-owner.phone',
      'age-text',
      'age-fraction',
      'age-range',
      'bornOn-number',
      'bornOn-format',
      'rank-unknown',
      'rank-null',
      'size-unknown',
      'size-case',
      'size-number',
      'owner-text',
      'owner.phone-text',
      'owner.phone-null',
      'owner.phone-fraction',
      'mood-unknown',
      'mood-case',
      'mood-number',
    ])
  })

  it('are reported if a service does not require them', async () => {
    const report = await checkServed(ofPet({ required: ['owner'], properties: ADDED }), STRICT)
    expect(idsOf(report, 'failed')).toEqual(['bad-body-no-chip', 'refused-not-stored', 'pet-schema'])
  })

  it('are reported if a service does not validate them', async () => {
    const owner = { type: 'object', required: ['phone'] }
    const report = await checkServed(
      ofPet({ required: ['chip', 'owner'], properties: { ...ADDED, owner } }),
      STRICT,
    )
    expect(new Set(idsOf(report, 'failed'))).toEqual(
      new Set([
        'bad-body-owner.phone-text',
        'bad-body-owner.phone-null',
        'bad-body-owner.phone-fraction',
        'bad-body-owner.phone-range',
        'bad-body-owner.email-number',
        'bad-body-owner.email-null',
        'bad-body-owner.email-format',
        'refused-not-stored',
        'pet-schema',
      ]),
    )
  })

  it('are reported if a service drops them', async () => {
    const { owner: _, ...others } = ADDED
    const report = await checkServed(ofPet({ properties: others }), ofPet({ properties: ADDED }))
    expect(idsOf(report, 'failed')).toContain('create')
    expect(resultOf(report, 'create').failures).toEqual([
      {
        request: 'POST /pets',
        expected: expect.stringMatching(/^owner \{"phone":2.*, as it was sent$/),
        received: 'owner nothing',
      },
    ])
  })

  it('are no reason to say that an id is refused, if only the service requires them', async () => {
    const report = await checkServed(ofPet({ required: ['chip'], properties: ADDED }), ofPet({}))
    expect(resultOf(report, 'client-id').reason).toBe('a pet without an id is refused, too')
  })

  it('are not sent if they are read-only, and not expected in responses if they are write-only', async () => {
    const createdAt = { type: 'string', format: 'date-time', readOnly: true }
    const pin = { type: 'integer', format: 'int64', writeOnly: true }
    const report = await checkServed(ofPet({}), ofPet({ required: ['pin'], properties: { createdAt, pin } }))
    expect(idsOf(report, 'failed')).not.toContain('int64-digits')
    expect(resultOf(report, 'create').failures).toEqual([])
    expect(report.checks.filter(({ id }) => id.includes('createdAt'))).toEqual([])
  })
})

it('status values that an overlay adds are checked as filters', async () => {
  const lost = { PetStatus: { enum: ['lost'] } }
  const report = await checkServed(lost, lost)
  expect(idsOf(report, 'failed')).toEqual([])
  expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(['status-lost', 'bad-body-status-unknown']))
})

describe('a service that follows an overlay passes', () => {
  const limit = "$.paths['/pets'].get.parameters[?(@.name=='limit')]"
  const ofLimit = (update: object) => [{ target: `${limit}.schema`, update }]
  const keyless = ['missing-key-listPets', 'invalid-key-listPets']

  it.each<[string, object[], string[], string[]]>([
    ['another default of limit', ofLimit({ default: 5 }), ['limit-default', 'limit-100'], []],
    [
      'no default of limit',
      [{ target: `${limit}.schema.default`, remove: true }],
      ['limit-1'],
      ['limit-default'],
    ],
    ['a lower maximum of limit', ofLimit({ maximum: 50 }), ['limit-50', 'limit-n'], []],
    ['a higher minimum of limit', ofLimit({ minimum: 5 }), ['limit-5', 'limit-n', 'filter-before-limit'], []],
    ['no limit', [{ target: limit, remove: true }], ['status-sold', 'create-listed'], []],
    ['no key', [{ target: "$.paths['/pets'].get", update: { security: [] } }], ['list-answers'], keyless],
  ])('with %s', async (_, actions, passed, skipped) => {
    const overlay = withActions(actions)
    const report = await checkOverlaid(overlay, overlay, 'busy')
    expect(idsOf(report, 'failed')).toEqual([])
    expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(passed))
    expect(idsOf(report, 'skipped')).toEqual(expect.arrayContaining(skipped))
  })

  it('with more in an error, which fails without the overlay', async () => {
    const details = { type: 'array', items: { type: 'string' } }
    const overlay = withActions([{ target: '$.components.schemas.Error.properties', update: { details } }])
    const more = { details: ['none'] }
    expect(idsOf(await checkOverlaid(overlay, overlay, 'busy', more), 'failed')).toEqual([])
    const none = withActions([{ target: '$', update: {} }])
    expect(idsOf(await checkOverlaid(none, none, 'busy', more), 'failed')).toEqual(['error-shape'])
  })

  it('without the page size of the overlay, it fails', async () => {
    const none = withActions([{ target: '$', update: {} }])
    const strict = withActions([...ofLimit({ default: 5, maximum: 50 })])
    expect(idsOf(await checkOverlaid(none, strict, 'busy'), 'failed')).toEqual(['limit-default'])
  })
})
