import { expect, it } from 'vitest'
import { statusWord } from '../../src/text/status-word.ts'

it('has one word if the client received no status', () => {
  expect([0, '0', 201, '429'].map(statusWord)).toEqual(['none', 'none', '201', '429'])
})
