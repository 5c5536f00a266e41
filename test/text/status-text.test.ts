import { expect, it } from 'vitest'
import { statusText } from '../../src/text/status-text.ts'

it.each([
  [201, 'Created'],
  [429, 'Too Many Requests'],
  [599, ''],
])('names status %i', (status, name) => expect(statusText(status)).toBe(name))
