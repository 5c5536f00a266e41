import type { FaultInput } from '../contract/generated/control.types.d.ts'
import { inThousands } from '../text/listed.ts'
import type { OperationContext, OperationId } from './operation.ts'

/** A control call in words, and the words of the command line that does the same; without these, none does. */
export interface CallWords {
  readonly what: string
  readonly line?: readonly string[]
}

type Speak<Id extends OperationId> = (
  context: Pick<OperationContext<Id>, 'params' | 'query' | 'body'>,
) => CallWords

const WORDS: { readonly [Id in OperationId]?: Speak<Id> } = {
  turnClock: ({ body: { advance, set, frozen } }) => ({
    what: [
      ...(advance === undefined ? [] : [`clock +${advance}`]),
      ...(set === undefined ? [] : [`clock to ${set.replace('T', ' ').replace(/(\.0+)?Z$/, '')}`]),
      ...(frozen === undefined ? [] : [frozen ? 'clock frozen' : 'clock running']),
    ].join(', '),
    line:
      advance !== undefined
        ? ['clock', 'advance', advance]
        : set !== undefined
          ? ['clock', 'set', set]
          : ['clock', frozen ? 'freeze' : 'resume'],
  }),
  resetClock: () => ({ what: 'clock to real time', line: ['clock', 'reset'] }),
  seed: ({ body }) => {
    const verb = body.mode === 'append' ? 'added' : 'seeded'
    const add = body.mode === 'append' ? ['--add'] : []
    if ('fixture' in body) return { what: `${verb} ${body.fixture}`, line: ['seed', body.fixture, ...add] }
    if ('pets' in body) return { what: `${verb} ${petsText(body.pets.length)}` }
    const seed = body.seed === undefined ? [] : ['--seed', String(body.seed)]
    const line = ['seed', '--count', String(body.count), ...seed, ...add]
    return { what: `${verb} ${petsText(body.count)}`, ...(body.status === undefined && { line }) }
  },
  reset: ({ body }) => {
    const only = body?.only ?? []
    return { what: `reset ${only.join(', ') || 'all but the keys'}`, line: ['reset', ...only] }
  },
  restoreSnapshot: ({ params: { name } }) => ({
    what: `restored the snapshot ${name}`,
    line: ['snapshot', 'restore', name],
  }),
  createKey: ({ body: { plan } }) => ({ what: `key issued, plan ${plan}`, line: ['keys', 'create', plan] }),
  revokeKey: ({ params: { key } }) => ({ what: `key ${key} revoked`, line: ['keys', 'revoke', key] }),
  setKeyLimits: ({ params: { key }, body: { remaining } }) => ({
    what: `${key} left ${remaining}`,
    line: ['limits', key, '--leave', String(remaining)],
  }),
  refillKeyLimits: ({ params: { key } }) => ({ what: `${key} refilled`, line: ['limits', key, '--refill'] }),
  banKey: ({ params: { key } }) => ({ what: `${key} banned`, line: ['limits', key, '--ban'] }),
  liftBan: ({ params: { key } }) => ({ what: `ban of ${key} lifted`, line: ['limits', key, '--lift'] }),
  setLabel: ({ body: { label } }) => ({ what: label ? `test: ${label}` : 'label removed' }),
  addFault: ({ body }) => ({
    what: `rule added: ${ruleWords(body)}`,
    line: ['faults', 'add', '--rule', JSON.stringify(body)],
  }),
  removeFault: ({ params: { id } }) => ({ what: `rule ${id} removed`, line: ['faults', 'remove', id] }),
  clearFaults: () => ({ what: 'all rules removed', line: ['faults', 'clear'] }),
  releaseHold: ({ params: { id } }) => ({ what: `${id} released`, line: ['holds', 'release', id] }),
}

const petsText = (count: number): string => (count === 1 ? '1 pet' : `${inThousands(count)} pets`)

/** `createPet reset, carried out`: what a fault rule does to which requests. */
function ruleWords({ match = {}, effect, when }: FaultInput): string {
  const subject = match.operationId ?? ([match.method, match.path].filter(Boolean).join(' ') || 'any request')
  const does = 'hold' in effect ? 'held' : Object.values(effect)[0]
  return `${subject} ${does}${when === 'after' ? ', carried out' : ''}`
}

/** Undefined for a call that has no words of its own. */
export const callWords = (
  id: string,
  context: Pick<OperationContext<never>, 'params' | 'query' | 'body'>,
): CallWords | undefined => (WORDS[id as OperationId] as Speak<never> | undefined)?.(context)
