import { expect, it } from 'vitest'
import { testNameIn } from '../../../src/world/traffic/test-name.ts'

it.each([
  [['Baggage', 'test.name=checkout%20%E2%80%BA%20retries'], 'checkout › retries'],
  [['baggage', 'userId=1, test.name = pays ;ttl=1,test.name=other'], 'pays'],
  [['baggage', 'userId=1', 'BAGGAGE', 'test.name=second'], 'second'],
  [['baggage', 'test.name=50%'], '50%'],
  [['baggage', 'test.name=,best.test.name=x'], undefined],
  [['baggage', 'mytest.name=x'], undefined],
  [['traceparent', 'test.name=x'], undefined],
  [['baggage', `test.name=${encodeURIComponent('🐶'.repeat(300))}`], '🐶'.repeat(200)],
])('%j names the test %j', (headers, name) => {
  expect(testNameIn(headers)).toBe(name)
})
