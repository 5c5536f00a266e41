import { describe, expect, it } from 'vitest'
import type { PrismContent } from '../../src/prism/prism.ts'
import { parsePrismBody } from '../../src/prism/read-message.ts'

const declared = (...mediaTypes: string[]) => mediaTypes.map((mediaType) => ({ mediaType }) as PrismContent)
const read = (type: string | undefined, text: string, ...mediaTypes: string[]) =>
  parsePrismBody('Response', declared(...mediaTypes), type === undefined ? [] : ['content-type', type], text)

describe('the content by which a body is validated', () => {
  it.each([
    ['application/json; charset=utf-8', 'application/json'],
    ['APPLICATION/JSON', 'application/json'],
    ['application/problem+json', 'application/*'],
    ['text/plain', '*/*'],
  ])('of %s is %s', (type, content) => {
    const { contents, violations } = read(type, '{}', '*/*', 'application/*', 'application/json')
    expect(contents).toEqual([{ mediaType: content }])
    expect(violations).toEqual([])
  })

  it('has the media type of the body if a range is declared', () => {
    expect(read('Text/Plain; a=b', 'x', 'text/*').mediaType).toBe('text/plain')
  })

  it('is none for an undeclared media type, which is a violation', () => {
    expect(read('application/problem+json', '{}', 'application/json')).toMatchObject({
      contents: [],
      violations: [
        { message: 'Response header Content-Type is application/problem+json; declared: application/json' },
      ],
    })
    expect(read(undefined, '{}', 'application/json').violations[0]?.message).toContain('is missing')
  })

  it('is none if nothing is declared', () => {
    expect(read('text/html', '<p>')).toEqual({ contents: [], violations: [] })
  })
})

describe('the value of a body', () => {
  it('is its JSON, in which no rounded integer crosses a bound', () => {
    expect(read('application/json', '{"id":9223372036854775808}', 'application/json').value).toEqual({
      id: 2 ** 63,
    })
    expect(read('application/vnd.x+json', '[1]', '*/*').value).toEqual([1])
  })

  it('is its text for other media types', () => {
    expect(read('text/plain', '[1]', '*/*').value).toBe('[1]')
  })

  it('is missing if it is invalid JSON', () => {
    expect(read('application/json', '', 'application/json').violations).toEqual([
      { where: 'body', message: 'Response body is not JSON: it is empty' },
    ])
    expect(read('application/json', '{"a":', 'application/json').violations[0]?.message).toMatch(
      /^Response body is not JSON: /,
    )
  })
})
