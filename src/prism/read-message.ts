import type { Resolution } from '../contract/openapi/contract.ts'
import type { SchemaObject } from '../contract/openapi/document.ts'
import { parseJson } from '../contract/openapi/json.ts'
import { INTEGER, isUtf8Type } from '../contract/openapi/read-request.ts'
import { errorMessage } from '../text/error.ts'
import { essence, fieldRecord, fieldValues, isJsonType } from '../world/traffic/message.ts'
import { standIn, withoutBigints } from './int64.ts'
import { declaredContent, type PrismContent } from './prism.ts'
import type { ContractViolation } from './violations.ts'

/** A parameter or header field as the contract declares it. */
interface Spec {
  readonly name: string
  readonly schema?: unknown
}

type Specs = readonly Spec[]
type Fields = Record<string, string>

/*
 * Converts texts so that Prism validates them correctly: otherwise it drops empty ones, reads `05`, `1e1` and
 * ` 5` as integers, and rounds what no double represents.
 */

/** The path: a template with its parameters filled in. */
export const fillPath = (template: string, params: Resolution['params'], specs: Specs = []): string =>
  template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const spec = specs.find((candidate) => candidate.name === name)
    return encodeURIComponent(asValidated(params[name] ?? '', spec))
  })

/**
 * Header fields by name in lower case, repeated ones joined (RFC 9110, section 5.3). `type` replaces the
 * Content-Type, which is already validated.
 */
export function readFields(flat: readonly string[], specs: Specs = [], type?: string): Fields {
  const fields = fieldRecord(flat)
  for (const spec of specs) {
    const name = spec.name.toLowerCase()
    const value = fields[name]
    if (value !== undefined) fields[name] = asValidated(value, spec)
  }
  const { 'content-type': _, authorization, ...others } = fields
  return {
    ...others,
    // Prism needs the scheme in this case and one space; RFC 9110, section 11.1, does not.
    ...(authorization !== undefined && { authorization: authorization.replace(/^bearer +/i, 'Bearer ') }),
    ...(type !== undefined && { 'content-type': type }),
  }
}

function asValidated(text: string, spec: Spec | undefined): string {
  const schema: SchemaObject = Object(spec?.schema)
  if ([schema.type].flat().includes('integer')) {
    if (!INTEGER.test(text)) return 'no integer'
    return Number.isSafeInteger(Number(text)) ? text : String(standIn(BigInt(text)))
  }
  return text === '' && Array.isArray(schema.enum) && !schema.enum.includes('') ? ' ' : text
}

/** A body as Prism can validate it. */
export interface BodyReading {
  /** The declared content to validate it against: one or none. With several, Prism may choose another. */
  readonly contents: PrismContent[]
  /** The media type of that content. */
  readonly mediaType?: string
  readonly value?: unknown
  /** The reason why it is not validated. */
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
  // The Encoding Standard, which clients follow, also has the label utf8; the sandbox refuses it in requests.
  const label = whose === 'Response' ? sent.replace(/utf8/gi, 'utf-8') : sent
  if (!content || (isJsonType(sent) && !isUtf8Type(label))) {
    const expected = declared.map(({ mediaType }) => mediaType).join(', ')
    const message = `${whose} header Content-Type is ${sent || 'missing'}; declared: ${expected}`
    return { contents: [], violations: [{ where: 'header', path: 'Content-Type', message }] }
  }
  const contents = [content]
  // The boundary of multipart is a parameter.
  const isMultipart = content.mediaType.startsWith('multipart/')
  const mediaType = isMultipart ? sent : content.mediaType.includes('*') ? essence(sent) : content.mediaType
  if (!isJsonType(sent)) return { contents, mediaType, value: text, violations: [] }
  try {
    return { contents, mediaType, value: withoutBigints(parseJson(text)), violations: [] }
  } catch (error) {
    const reason = text === '' ? 'it is empty' : errorMessage(error)
    return { contents: [], violations: [{ where: 'body', message: `${whose} body is not JSON: ${reason}` }] }
  }
}
