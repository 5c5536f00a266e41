import { parseJson } from '../contract/openapi/json.ts'
import { errorMessage } from '../text/error.ts'
import { fieldValues } from '../world/traffic/message.ts'
import { declaredContent, essence } from './declared.ts'
import { withoutBigints } from './int64.ts'
import type { ContractViolation } from './message.ts'
import type { PrismContent } from './prism.ts'

/** A body as Prism can validate it. */
export interface BodyReading {
  /** The declared content to validate it against: one or none. With several, Prism may choose another. */
  readonly contents: PrismContent[]
  /** The media type of that content. */
  readonly mediaType?: string
  readonly value?: unknown
  /** Why it is not validated. */
  readonly violations: readonly ContractViolation[]
}

export const NO_BODY: BodyReading = { contents: [], violations: [] }

/** Reads a body of one of the declared media types. */
export function parsePrismBody(
  whose: 'Request' | 'Response',
  declared: readonly PrismContent[],
  headers: readonly string[],
  text: string,
): BodyReading {
  if (declared.length === 0) return NO_BODY
  const sent = fieldValues(headers, 'content-type').join(', ')
  const content = declaredContent(declared, essence(sent))
  if (!content) {
    const expected = declared.map(({ mediaType }) => mediaType).join(', ')
    const message = `${whose} header Content-Type is ${sent || 'missing'}; declared: ${expected}`
    return { contents: [], violations: [{ where: 'header', path: 'Content-Type', message }] }
  }
  const contents = [content]
  const mediaType = content.mediaType.includes('*') ? essence(sent) : content.mediaType
  if (!/[/+]json$/.test(essence(sent))) return { contents, mediaType, value: text, violations: [] }
  try {
    return { contents, mediaType, value: withoutBigints(parseJson(text)), violations: [] }
  } catch (error) {
    const reason = text === '' ? 'it is empty' : errorMessage(error)
    return { contents: [], violations: [{ where: 'body', message: `${whose} body is not JSON: ${reason}` }] }
  }
}
