import { describe, expect, it } from 'vitest'
import type { RequestMatch } from '../../src/contract/generated/control.types.d.ts'
import { Matcher } from '../../src/control/match.ts'
import type { Exchange } from '../../src/world/traffic/exchange.ts'
import { exchange } from '../support/exchange.ts'

const created = (body: string, truncated?: true): Exchange =>
  exchange({
    operationId: 'createPet',
    method: 'POST',
    path: '/v1/pets',
    query: 'a=1',
    status: 201,
    key: 'psk_pro',
    request: { headers: [], body, ...(truncated && { truncated }) },
  })

const pet = '{"name":"Kit","categoryId":9007199254740993,"tags":[{"a":1,"b":2},3],"owner":{"x":1,"y":null}}'

describe('a request matches if every member agrees', () => {
  it.each<[RequestMatch, Exchange, string]>([
    [{}, created(pet), 'match'],
    [{ operationId: 'createPet', status: 201, method: 'post', key: 'psk_pro' }, created(pet), 'match'],
    [{ operationId: 'createPet', status: 200 }, created(pet), 'differs'],
    [{ path: '/pets' }, created(pet), 'match'],
    [{ path: '/v1/*' }, created(pet), 'match'],
    [{ path: '/pet' }, created(pet), 'differs'],
    [{ query: '?a=1' }, created(pet), 'match'],
    [{ finding: 'duplicate' }, created(pet), 'differs'],
    [{ finding: 'duplicate' }, { ...created(pet), findings: [{ kind: 'duplicate', of: 'req_1' }] }, 'match'],
    [{ test: 'pays' }, created(pet), 'differs'],
    [{ test: 'pays' }, { ...created(pet), test: 'pays' }, 'match'],
    [{ body: { name: 'Kit' } }, created(pet), 'match'],
    [{ body: { name: 'kit' } }, created(pet), 'differs'],
    [
      { body: { name: 'Kit' } },
      exchange({ request: { headers: [], body: '{\ufffd}', truncated: true, undecodable: true } }),
      'differs',
    ],
    [{ body: { categoryId: 9007199254740993n } }, created(pet), 'match'],
    [{ body: { categoryId: 9007199254740992 } }, created(pet), 'differs'],
    [{ body: { owner: { y: null } } }, created(pet), 'match'],
    [{ body: { owner: { z: undefined } } }, created(pet), 'differs'],
    [{ body: { tags: [{ b: 2 }, 3] } }, created(pet), 'match'],
    [{ body: { tags: [3] } }, created(pet), 'differs'],
    [{ body: { toString: 1 } }, created(pet), 'differs'],
    [{ body: {} }, created(pet), 'match'],
    [{ body: {} }, created('[]'), 'differs'],
    [{ body: [] }, created('[]'), 'match'],
    [{ body: { name: 'Kit' } }, created(''), 'differs'],
    [{ body: 'not json' }, created('not json'), 'match'],
    [{ body: { name: 'Kit' } }, created('{"name":"Kit","nick', true), 'unknown'],
    [{ status: 400, body: { name: 'Kit' } }, created('{"name":"Kit","nick', true), 'differs'],
    [{ status: 201 }, created('{"name":"Kit","nick', true), 'match'],
  ])('%o', (match, sent, outcome) => expect(new Matcher(match).outcomeOf(sent)).toBe(outcome))
})

it('the more members agree, the nearer a request is; a body may agree in part', () => {
  const match = { operationId: 'createPet', status: 400, body: { name: 'Kit', categoryId: 1 } }
  const nearness = [created('{"name":"Kit","categoryId":2}'), created('{}'), exchange({ status: 400 })].map(
    (sent) => new Matcher(match).agreement(sent),
  )
  expect(nearness).toEqual([1.5, 1, 1])
})
