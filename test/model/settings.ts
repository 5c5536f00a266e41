import fc from 'fast-check'

/** The decisions that the model supports. */
export interface Decisions {
  readonly 'list.limit': 'reject' | 'clamp'
  readonly 'list.status': 'reject' | 'empty' | 'ignore'
  readonly 'list.order': 'oldest' | 'newest'
  readonly unknown: 'ignore' | 'reject'
  readonly 'create.blankName': 'accept' | 'reject'
  readonly 'create.status': 'absent' | 'available' | 'pending' | 'sold'
  readonly 'get.invalidId': '404' | '400'
  readonly 'get.afterRemoval': '410' | '404' | 'serve'
  readonly 'limits.minute': 'first-request' | 'clock'
  readonly 'limits.report': 'closest' | 'minute' | 'day'
  readonly 'plans.free': string
  readonly 'plans.pro': string
  readonly 'ban.enabled': 'true' | 'false'
  readonly 'ban.after': string
  readonly 'ban.seconds': string
  readonly 'ban.status': '429' | '403'
}

export const DEFAULTS: Decisions = {
  'list.limit': 'reject',
  'list.status': 'reject',
  'list.order': 'oldest',
  unknown: 'ignore',
  'create.blankName': 'accept',
  'create.status': 'absent',
  'get.invalidId': '404',
  'get.afterRemoval': '410',
  'limits.minute': 'first-request',
  'limits.report': 'closest',
  'plans.free': '60/1000',
  'plans.pro': '300/10000',
  'ban.enabled': 'true',
  'ban.after': 'plan',
  'ban.seconds': '120',
  'ban.status': '429',
}

/** The decisions of a run; the others have their defaults. Small plans are soon used up. */
export const decisions: fc.Arbitrary<Partial<Decisions>> = fc.record(
  {
    'list.limit': fc.constantFrom('reject', 'clamp'),
    'list.status': fc.constantFrom('reject', 'empty', 'ignore'),
    'list.order': fc.constantFrom('oldest', 'newest'),
    unknown: fc.constantFrom('ignore', 'reject'),
    'create.blankName': fc.constantFrom('accept', 'reject'),
    'create.status': fc.constantFrom('absent', 'pending', 'sold'),
    'get.invalidId': fc.constantFrom('404', '400'),
    'get.afterRemoval': fc.constantFrom('410', '404', 'serve'),
    'limits.minute': fc.constantFrom('first-request', 'clock'),
    'limits.report': fc.constantFrom('closest', 'minute', 'day'),
    'plans.free': fc.constantFrom('3/10', '5/40', '4/6', '2/unlimited', '7/7'),
    'plans.pro': fc.constantFrom('6/20', '10/12', 'unlimited/30', 'unlimited/unlimited'),
    'ban.enabled': fc.constantFrom('true', 'false'),
    'ban.after': fc.constantFrom('plan', '1', '2', '4'),
    'ban.seconds': fc.constantFrom('120', '7', '1000'),
    'ban.status': fc.constantFrom('429', '403'),
  },
  { requiredKeys: ['plans.free'] },
)
