import { InvalidValue } from '../../text/advised-error.ts'
import { PET_STATUSES } from '../../world/pets/pet.ts'
import type { Policy } from '../../world/policy.ts'
import type { DecisionView } from '../generated/control.types.d.ts'
import { stringifyJson } from '../openapi/json.ts'
import type { DecisionName, DecisionRow, ValueOf } from './decision.ts'
import { didYouMean } from './nearest.ts'
import { count, countOr, instant, oneOf, oneOfOr, origins, plan, renames, yesOrNo } from './value-formats.ts'

type Decisions = { readonly [Name in DecisionName]: DecisionRow<ValueOf<Name>> }

/** All decisions. Command line, configuration schema, control API and documentation are made from this table. */
export const DECISIONS = {
  'cors.origins': {
    section: '4',
    question: 'Which pages of other origins may call?',
    ...origins,
    why: 'A front end runs on another origin, and browsers hide responses that do not allow it.',
  },
  orders: {
    section: '4.4',
    question: 'What does GET /store/orders answer?',
    ...oneOf('501', '404', 'mock'),
    why: 'The interface names it without describing it, so no data is invented unless requested.',
  },
  'list.limit': {
    section: '4.1',
    question: 'What happens to a limit that is out of range or not an integer?',
    ...oneOf('reject', 'clamp'),
    why: 'The interface states the bounds, so a client that exceeds them should get an error.',
  },
  'list.status': {
    section: '4.1',
    question: 'What happens to an unknown status filter?',
    ...oneOf('reject', 'empty', 'ignore'),
    why: 'The interface names exactly these values.',
  },
  'list.order': {
    section: '4.1',
    question: 'In which order are pets listed?',
    ...oneOf('oldest', 'newest'),
    why: 'With ascending ids, every limit returns a stable first part of the list.',
  },
  unknown: {
    section: '4',
    question: 'What happens to unknown parameters and fields, and to an id that a client sends?',
    ...oneOf('ignore', 'reject'),
    why: 'JSON Schema allows them; they are ignored with a warning.',
  },
  'create.blankName': {
    section: '4.2',
    question: 'Is an empty or blank name accepted?',
    ...oneOf('accept', 'reject'),
    why: 'The interface requires a string, and a blank string is one.',
  },
  'create.status': {
    section: '2',
    question: 'Which status has a pet that was created without one?',
    ...oneOfOr('a status of an overlay', 'absent', ...PET_STATUSES),
    why: 'No default is shown, so none is invented.',
  },
  'get.invalidId': {
    section: '4.3',
    question: 'What does getPet answer for an id that is not an int64?',
    ...oneOf('404', '400'),
    why: 'Only 401 and 404 are listed for this operation.',
  },
  'get.deprecatedSince': {
    section: '9',
    question: 'Since when is getPet deprecated?',
    ...instant,
    default: '2025-12-05T00:00:00.000Z',
    why: 'A value of the sandbox: five years before the removal.',
  },
  'get.removedOn': {
    section: '9',
    question: 'When is getPet removed?',
    ...instant,
    default: '2030-12-05T00:00:00.000Z',
    why: 'The interface states the day; this is its first instant in UTC.',
  },
  'get.afterRemoval': {
    section: '9',
    question: 'What does getPet answer after its removal?',
    ...oneOf('410', '404', 'serve'),
    why: 'The removal is permanent, which is the meaning of 410.',
  },
  'limits.minute': {
    section: '8',
    question: 'When does the window of one minute begin?',
    ...oneOf('first-request', 'clock'),
    why: 'With windows that follow the clock, tests fail when a new minute begins.',
  },
  'limits.report': {
    section: '8',
    question: 'Which window do the rate limit headers describe?',
    ...oneOf('closest', 'minute', 'day'),
    why: 'The limit that applies is the one that is reached first.',
  },
  'plans.free': planRow('Free', '60/1000', 'The value of the interface.'),
  'plans.pro': planRow('Pro', '300/10000', 'The value of the interface.'),
  'plans.business': planRow('Business', '1000/100000', 'The value of the interface.'),
  'plans.enterprise': planRow(
    'Enterprise',
    '10000/1000000',
    'A value of the sandbox: the interface says custom.',
  ),
  'ban.enabled': {
    section: '8',
    question: 'Do repeated refusals lead to a ban of the key?',
    ...yesOrNo,
    why: 'The interface warns of it; clients that honour Retry-After are never banned.',
  },
  'ban.after': {
    section: '8',
    question: 'How many refusals within 60 s start a ban?',
    ...countOr('plan'),
    why: 'As many as the plan allows requests per minute, so that no client is banned by accident.',
  },
  'ban.seconds': {
    section: '8',
    question: 'How many seconds does the first ban last?',
    ...count,
    default: '120',
    why: 'Repeated bans double within 24 h, up to an hour.',
  },
  'ban.status': {
    section: '8',
    question: 'Which status do refusals during a ban have?',
    ...oneOf(429, 403),
    why: 'A ban follows from too many requests, and Retry-After belongs to 429.',
  },
  'errors.codes': {
    section: '7',
    question: 'Which error codes are renamed?',
    ...renames,
    why: 'The interface does not show the values of code; a real service may have others.',
  },
  'durable.log': {
    section: '8',
    question: 'What does a world in a Durable Object store before it answers?',
    ...oneOf('changes', 'every'),
    why: 'Storing each read before its answer costs most of the rate; a crash forgets at most 100 ms of reads.',
  },
} as const satisfies Decisions

export const DECISION_NAMES = Object.keys(DECISIONS) as DecisionName[]

/** The default as text: that of the row, or the first choice. */
export function defaultOf(name: DecisionName): string {
  const { words, default: standard = words[0] ?? '' }: DecisionRow<unknown> = DECISIONS[name]
  return standard
}

/** The decision of that name. Throws a RangeError that lists the valid names. */
function findDecision(name: string): DecisionRow<unknown> {
  if (Object.hasOwn(DECISIONS, name)) return DECISIONS[name as DecisionName]
  const fix = `${hintFor(name)} Decisions: ${DECISION_NAMES.join(', ')}`
  throw new InvalidValue(`There is no decision "${name}"`, fix)
}

/** A hint for an unknown name: names that contain it (`limit`: `list.limit`), or else the most similar name. */
function hintFor(name: string): string {
  const matching =
    name === '' ? [] : DECISION_NAMES.filter((known) => known.toLowerCase().includes(name.toLowerCase()))
  if (matching.length === 0 || matching.length > 3) return didYouMean(name, DECISION_NAMES)
  return ` Did you mean ${matching.join(' or ')}?`
}

/** The value of a decision, read from a text or a configuration file. Throws a RangeError that lists the choices. */
export function readDecision(name: string, value: unknown): unknown {
  const decision = findDecision(name)
  const read = decision.read(value)
  if (read !== undefined) return read
  const given = typeof value === 'string' ? value : stringifyJson(value)
  const hint = decision.unknownIn?.(value) ?? didYouMean(given, decision.words)
  const more = decision.more ? `. ${decision.more}` : ''
  throw new InvalidValue(`${name} cannot be "${given}"`, `${hint} Choices: ${decision.choices}${more}`)
}

/** The policy with these values; other decisions have their defaults. Throws a RangeError. */
export function resolvePolicy(values: Readonly<Record<string, unknown>> = {}): Policy {
  const policy: Record<string, unknown> = {}
  for (const name of DECISION_NAMES) {
    const value = values[name] === undefined ? defaultOf(name) : values[name]
    place(policy, name, readDecision(name, value))
  }
  for (const name of Object.keys(values)) findDecision(name)
  const resolved = policy as unknown as Policy
  const { deprecatedSince, removedOn } = resolved.get
  if (deprecatedSince > removedOn) {
    throw new RangeError(
      `get.deprecatedSince (${instant.write(deprecatedSince)}) is later than get.removedOn (${instant.write(removedOn)}): an operation is deprecated before it is removed`,
    )
  }
  return resolved
}

/** Every decision with its value in a policy. */
export function describeDecisions(policy: Policy): DecisionView[] {
  return DECISION_NAMES.map((name) => {
    const row: DecisionRow<unknown> = DECISIONS[name]
    const { section, question, choices, why } = row
    const value = row.write(valueIn(policy, name))
    return { name, section, question, choices, default: defaultOf(name), value, why }
  })
}

function planRow(name: string, standard: string, why: string): DecisionRow<Policy['plans']['free']> {
  return {
    section: '8',
    question: `How many requests per minute and per day does the ${name} plan have?`,
    ...plan,
    default: standard,
    why,
  }
}

function place(policy: Record<string, unknown>, name: string, value: unknown): void {
  const [group = '', member] = name.split('.')
  if (member === undefined) policy[group] = value
  else policy[group] = { ...Object(policy[group]), [member]: value }
}

function valueIn(policy: Policy, name: string): unknown {
  const [group = '', member] = name.split('.')
  const value: unknown = policy[group as keyof Policy]
  return member === undefined ? value : Object(value)[member]
}
