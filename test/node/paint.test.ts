import { afterEach, expect, it, vi } from 'vitest'
import { coloursFor } from '../../src/node/paint.ts'

afterEach(() => vi.unstubAllGlobals())

const RED = '\u001b[31mx\u001b[39m'

function red(env: NodeJS.ProcessEnv, isTTY = true): string {
  vi.stubGlobal('process', { stdout: { isTTY } })
  return coloursFor('stdout', env).bad('x')
}

it('only a terminal has colours', () => {
  expect(red({})).toBe(RED)
  expect(red({}, false)).toBe('x')
  expect(red({ TERM: 'dumb' })).toBe('x')
})

it('NO_COLOR disables colours, unless FORCE_COLOR is set', () => {
  expect(red({ NO_COLOR: '1' })).toBe('x')
  expect(red({ NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(RED)
  expect(red({ FORCE_COLOR: '1' }, false)).toBe(RED)
  for (const off of ['0', 'false']) expect(red({ FORCE_COLOR: off })).toBe('x')
})

it('an empty NO_COLOR has no effect', () => {
  expect(red({ NO_COLOR: '' })).toBe(RED)
})
