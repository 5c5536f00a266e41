import { describe, expect, it } from 'vitest'
import { type DispatchDeps, dispatch, routeNotFound } from '../../src/api/dispatch.ts'
import { isMocked } from '../../src/api/operations.ts'
import { isRemovedFor } from '../../src/api/resolve.ts'
import type { Operation } from '../../src/contract/openapi/contract.ts'
import type { ApiError } from '../../src/world/api-error.ts'
import { policyWith } from '../world/policy.ts'
import { callOf, contract } from './call.ts'

const REMOVED = { 'get.removedOn': '2026-01-01', 'get.deprecatedSince': '2026-01-01' }

function refusal(method: string, target: string, decisions = {}): string {
  const policy = policyWith(decisions)
  const deps: DispatchDeps = {
    contract,
    policy,
    commit: (_world, _change, apply) => apply(),
    mock: () => ({ status: 200, text: '[]' }),
    check: () => {},
  }
  try {
    dispatch(callOf({ method, target }), deps)
    return 'none'
  } catch (error) {
    const { status, code } = error as ApiError
    return `${status} ${code}`
  }
}

describe('the error of a route', () => {
  it.each([
    ['GET', '/v1/pets', {}, 'none'],
    ['DELETE', '/v1/pets', {}, '405 method_not_allowed'],
    ['get', '/v1/pets', {}, '405 method_not_allowed'],
    ['GET', '/v1/pets/%zz', {}, '400 invalid_request'],
    ['GET', '/v1/cats', {}, '404 route_not_found'],
    ['GET', '/v1/store/orders', {}, '501 not_implemented'],
    ['DELETE', '/v1/store/orders', {}, '501 not_implemented'],
    ['GET', '/v1/store/orders', { orders: '404' }, '404 route_not_found'],
    ['GET', '/v1/store/orders', { orders: 'mock' }, 'none'],
    ['DELETE', '/v1/store/orders', { orders: 'mock' }, '405 method_not_allowed'],
    ['GET', '/v1/pets/1', {}, '404 pet_not_found'],
    ['GET', '/v1/pets/1', REMOVED, '410 endpoint_removed'],
    ['GET', '/v1/pets/1', { ...REMOVED, 'get.afterRemoval': '404' }, '404 route_not_found'],
    ['GET', '/v1/pets/1', { ...REMOVED, 'get.afterRemoval': 'serve' }, '404 pet_not_found'],
  ])('%s %s with %j: %s', (method, target, decisions, expected) => {
    expect(refusal(method, target, decisions)).toBe(expected)
  })
})

it('only an operation without state is mocked', () => {
  const mocked = (id: string, orders: string, change?: 'delete') =>
    isMocked({ ...(contract.operations.get('listPets') as Operation), id, change }, policyWith({ orders }))
  expect([mocked('listPets', 'mock'), mocked('of_an_overlay', '501')]).toEqual([false, true])
  expect(mocked('constructor', '501')).toBe(true)
  expect([mocked('listOrders', 'mock'), mocked('listOrders', '404'), mocked('listOrders', '501')]).toEqual([
    true,
    false,
    false,
  ])
  expect(mocked('deletePet', '501', 'delete')).toBe(false)
})

it('the message for an unknown path names an operation, except under the base path', () => {
  expect(routeNotFound(callOf({ target: '/v1/cats' })).message).toBe('There is no /v1/cats here.')
  for (const target of ['/cats', '/v1', '/v1/?limit=1', '/%761'])
    expect(routeNotFound(callOf({ target })).message).toContain('http://localhost:4010/v1/pets')
})

it('an operation is removed by time, or for a key that sees it as removed', () => {
  const call = callOf({ target: '/v1/pets/1' })
  expect(isRemovedFor(call, policyWith())).toBe(false)
  expect(isRemovedFor(call, policyWith(REMOVED))).toBe(true)
  call.caller = { key: 'psk_removed', plan: 'pro', trigger: { plan: 'pro', removed: true } }
  expect(isRemovedFor(call, policyWith())).toBe(true)
})
