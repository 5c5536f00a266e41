import { expect, it } from 'vitest'
import { at, UsageError } from '../../src/config/usage-error.ts'
import { AdvisedError, InvalidValue } from '../../src/text/advised-error.ts'

it('has the error followed by the advice as its message, and both separately', () => {
  expect(new AdvisedError('Port 1 is in use', 'Use another')).toMatchObject({
    message: 'Port 1 is in use. Use another',
    problem: 'Port 1 is in use',
    fix: 'Use another',
  })
  expect(new AdvisedError('"x" is not a size', 'use 1MiB').message).toBe('"x" is not a size; use 1MiB')
  expect(new AdvisedError('It is so')).toMatchObject({ message: 'It is so', fix: undefined })
})

it('keeps the advice if the place of a value is added', () => {
  const read = () =>
    at('--size', () => {
      throw new InvalidValue('"x" is not a size', ' Did you mean 1MiB?')
    })
  expect(read).toThrow(UsageError)
  expect(read).toThrow(
    expect.objectContaining({
      message: '--size: "x" is not a size. Did you mean 1MiB?',
      fix: 'Did you mean 1MiB?',
    }),
  )
})
