import { expect, it } from 'vitest'
import { checkOptions, foldDecisions } from '../../src/config/options.ts'

it('--limits and --strict win over --set of the same source; --no-strict does not', () => {
  const decisions = { 'plans.free': '1/1', unknown: 'ignore', 'list.limit': 'clamp' }
  expect(foldDecisions({ decisions, limits: { free: '2/2' }, strict: true })).toEqual({
    'plans.free': '2/2',
    unknown: 'reject',
    'list.limit': 'clamp',
  })
  expect(foldDecisions({ decisions: { unknown: 'reject' }, strict: false })).toEqual({ unknown: 'reject' })
})

it('an absent option does not override a lower source', () => {
  expect(foldDecisions({})).toEqual({})
  expect(foldDecisions({ strict: false })).toEqual({ unknown: 'ignore' })
})

it('an undefined value is an absent one', () => {
  const decisions = { 'list.limit': undefined, 'list.order': 'newest' }
  expect(checkOptions({ decisions }).policy.list).toMatchObject({ limit: 'reject', order: 'newest' })
})
