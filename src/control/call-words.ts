import type { ClockTurn, FaultInput, FaultMatch, HoldUntil } from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/in-thousands.ts'
import { plural } from '../text/plural.ts'
import type { OperationContext, OperationId } from './operation.ts'

export type { OperationId }

/** A control call in words, and the words of the command line that does the same; undefined if no command does. */
export interface CallWords {
  readonly what: string
  readonly line?: readonly string[]
}

/** The part of a call that its words depend on. */
export type CallInput<Id extends OperationId> = Pick<OperationContext<Id>, 'params' | 'body'>
/** `nameOf`: the name of a key, which does not reveal it. */
type Describe<Id extends OperationId> = (input: CallInput<Id>, nameOf: (key: string) => string) => CallWords

const WORDS: { readonly [Id in OperationId]?: Describe<Id> } = {
  turnClock({ body }) {
    const { advance, set, frozen } = body
    const line = clockLine(body)
    return {
      what: [
        ...(advance === undefined ? [] : [`clock +${advance}`]),
        ...(set === undefined ? [] : [`clock to ${set.replace('T', ' ').replace(/(\.0+)?Z$/, '')}`]),
        ...(frozen === undefined ? [] : [frozen ? 'clock frozen' : 'clock running']),
      ].join(', '),
      ...(line && { line }),
    }
  },
  resetClock: () => ({ what: 'clock to real time', line: ['clock', 'reset'] }),
  seed: ({ body }) => {
    const [verb, ...add] = body.mode === 'append' ? ['added', '--add'] : ['seeded']
    if ('fixture' in body) return { what: `${verb} ${body.fixture}`, line: ['seed', body.fixture, ...add] }
    if ('pets' in body) return { what: `${verb} ${plural(body.pets?.length ?? 0, 'pet')}` }
    // The page shows the line of a form that is not filled in yet.
    const count = body.count === undefined ? [] : ['--count', String(body.count)]
    const seed = body.seed === undefined ? [] : ['--seed', String(body.seed)]
    const shares = Object.entries(body.status ?? {}).map((share) => share.join('='))
    const status = shares.length === 0 ? [] : ['--status', shares.join(',')]
    const what = `${verb} ${plural(body.count, 'pet')}`
    return { what, line: ['seed', ...count, ...seed, ...status, ...add] }
  },
  reset: ({ body }) => {
    const only = body?.only ?? []
    return { what: `reset ${only.join(', ') || 'all but the keys'}`, line: ['reset', ...only] }
  },
  saveSnapshot: ({ params: { name } }) => ({
    what: `saved the snapshot ${name}`,
    // `--force`, because the call replaces a snapshot of that name.
    line: lineAbout('snapshot save', name, '--force'),
  }),
  deleteSnapshot: snapshotWords('deleted', 'delete'),
  restoreSnapshot: snapshotWords('restored', 'restore'),
  // A key that the client chose is left out: it is a secret that is not masked yet, and has no name yet.
  createKey: ({ body: { plan, expiresAt } }) => ({
    what: 'key issued',
    line: ['keys', 'create', plan, ...(expiresAt ? ['--expires-at', expiresAt] : [])],
  }),
  revokeKey: ({ params: { key } }, nameOf) => ({
    what: `${nameOf(key)} revoked`,
    line: lineAbout('keys revoke', key),
  }),
  setKeyLimits: ({ params: { key }, body: { remaining } }, nameOf) => ({
    what: `${nameOf(key)} left ${remaining}`,
    line: lineAbout('limits', key, '--leave', String(remaining)),
  }),
  refillKeyLimits: ({ params: { key } }, nameOf) => ({
    what: `${nameOf(key)} refilled`,
    line: lineAbout('limits', key, '--refill'),
  }),
  banKey: ({ params: { key }, body: { seconds } = {} }, nameOf) => ({
    what: `${nameOf(key)} banned${seconds === undefined ? '' : ` for ${inThousands(seconds)} s`}`,
    line: lineAbout('limits', key, '--ban', ...(seconds === undefined ? [] : [String(seconds)])),
  }),
  liftBan: ({ params: { key } }, nameOf) => ({
    what: `ban of ${nameOf(key)} lifted`,
    line: lineAbout('limits', key, '--lift'),
  }),
  dropNamespace: ({ params: { name } }) => ({
    what: `namespace ${name} dropped`,
    line: lineAbout('namespaces drop', name),
  }),
  setLabel: ({ body: { label } }) => ({ what: label ? `test: ${label}` : 'label removed' }),
  addFault: ({ body }, nameOf) => ({
    what: `rule added: ${ruleWords(body, nameOf)}`,
    line: ['faults', 'add', ...ruleOptions(body)],
  }),
  removeFault: ({ params: { id } }) => ({ what: `rule ${id} removed`, line: ['faults', 'remove', id] }),
  clearFaults: () => ({ what: 'all rules removed', line: ['faults', 'clear'] }),
  releaseHold: ({ params: { id } }) => ({ what: `${id} released`, line: ['holds', 'release', id] }),
}

/** The words of a command about a name. One that begins with a minus is last, after `--`. */
export const lineAbout = (
  command: string,
  name: string,
  ...options: readonly string[]
): readonly string[] => [
  ...command.split(' '),
  ...(name.startsWith('-') ? [...options, '--', name] : [name, ...options]),
]

function snapshotWords(done: string, subcommand: string) {
  return ({ params: { name } }: { readonly params: { readonly name: string } }): CallWords => ({
    what: `${done} the snapshot ${name}`,
    line: lineAbout(`snapshot ${subcommand}`, name),
  })
}

/** Two changes in one call have no command. */
function clockLine({ advance, set, frozen }: ClockTurn): readonly string[] | undefined {
  const moved = advance ?? set
  if (moved === undefined) return ['clock', frozen ? 'freeze' : 'resume']
  return frozen === undefined ? ['clock', advance === undefined ? 'set' : 'advance', moved] : undefined
}

/** `createPet of psk_free reset, carried out`: what a fault rule does to which requests. */
export function ruleWords(
  { match = {}, effect, when, probability = 1 }: FaultInput,
  nameOf?: (key: string) => string,
): string {
  const action =
    'hold' in effect
      ? `held until ${untilWords(effect.hold.until, nameOf)}`
      : ['status' in effect && effect.status, 'wire' in effect && effect.wire, effect.latency]
          .filter(Boolean)
          .join(' after ')
  const share = probability === 1 ? '' : `, ${Number((probability * 100).toFixed(2))}% of them`
  return `${matchWords(match, nameOf)} ${action}${when === 'after' ? ', carried out' : ''}${share}`
}

/** The request that ends a hold: `createPet`; or `released`. */
export function untilWords(until: HoldUntil, nameOf?: (key: string) => string): string {
  if (until === 'released') return until
  return matchWords(until, nameOf)
}

/** In place of stringifyJson, which the page does not have. A rule with a bigint is put into words before it is refused. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))

/** `createPet of psk_free with status=sold, {"name":"Kit"}`: which requests match. */
function matchWords(match: FaultMatch, nameOf = (key: string) => key): string {
  const { operationId, method, path, key, parameters, body } = match
  const subject = operationId ?? ([method, path].filter(Boolean).join(' ') || 'any request')
  const content = [parameters, toJson(body)].filter(Boolean).join(', ')
  return `${subject}${key ? ` of ${nameOf(key)}` : ''}${content && ` with ${content}`}`
}

const OPTIONS: Readonly<Record<string, string>> = { operationId: 'operation', retryAfter: 'retry-after' }

/** The options of `faults add` for a rule. A rule with a hold is given as JSON. */
function ruleOptions(rule: FaultInput): string[] {
  const { match, effect, ...others } = rule
  if ('hold' in effect) return ['--rule', toJson(rule)]
  return Object.entries({ ...match, ...effect, ...others }).flatMap(([name, value]) => [
    `--${OPTIONS[name] ?? name}`,
    name === 'body' ? toJson(value) : String(value),
  ])
}

/** Undefined for a call that has no words of its own. */
export const callWords = <Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  nameOf: (key: string) => string = (key) => key,
): CallWords | undefined => (WORDS[id] as Describe<Id> | undefined)?.(input, nameOf)
