import { expect, it, vi } from 'vitest'
import { coloursFor } from '../../src/node/paint.ts'

// chalk looks once, when it is loaded, whether there are colours.
vi.hoisted(() => {
  process.env.FORCE_COLOR = '1'
})

const red = (env: NodeJS.ProcessEnv) => coloursFor('stdout', env).bad('x')

it('there are no colours where NO_COLOR says so, unless FORCE_COLOR does', () => {
  expect(red({ NO_COLOR: '1' })).toBe('x')
  expect(red({})).toBe('\u001b[31mx\u001b[39m')
  expect(red({ NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(red({}))
})

it('an empty NO_COLOR is as if it were not set', () => {
  expect(red({ NO_COLOR: '' })).toBe(red({}))
})
