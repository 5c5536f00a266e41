import { afterEach, expect, it, vi } from 'vitest'
import { coloursFor } from '../../src/node/paint.ts'

afterEach(() => vi.unstubAllGlobals())

const RED = '\u001b[31mx\u001b[39m'

function red(env: NodeJS.ProcessEnv, isTTY = true): string {
  vi.stubGlobal('process', { stdout: { isTTY } })
  return coloursFor('stdout', env).bad('x')
}

it('a terminal has colours, and nothing else has', () => {
  expect(red({})).toBe(RED)
  expect(red({}, false)).toBe('x')
  expect(red({ TERM: 'dumb' })).toBe('x')
})

it('there are no colours where NO_COLOR says so, unless FORCE_COLOR does', () => {
  expect(red({ NO_COLOR: '1' })).toBe('x')
  expect(red({ NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(RED)
  expect(red({ FORCE_COLOR: '1' }, false)).toBe(RED)
  for (const off of ['0', 'false']) expect(red({ FORCE_COLOR: off })).toBe('x')
})

it('an empty NO_COLOR is as if it were not set', () => {
  expect(red({ NO_COLOR: '' })).toBe(RED)
})
