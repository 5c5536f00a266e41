import type { PrismContent, PrismOperation, PrismResponse } from './prism.ts'

/**
 * The response that an operation declares for a status: exactly, by a range (`4XX`), or by `default`. If it declares a
 * success status, `default` stands for errors only: an undeclared 200 has a wrong status, not a wrong body.
 */
export function declaredResponse(operation: PrismOperation, status: number): PrismResponse | undefined {
  const byCode = (code: string) =>
    operation.responses.find((response) => response.code.toUpperCase() === code)
  const declared = byCode(String(status)) ?? byCode(`${String(status).charAt(0)}XX`)
  if (declared) return declared
  const isOtherSuccess = status < 300 && operation.responses.some(({ code }) => code.startsWith('2'))
  return isOtherSuccess ? undefined : byCode('DEFAULT')
}

export const declaredCodes = (operation: PrismOperation): string =>
  operation.responses.map(({ code }) => code).join(', ')

/**
 * The content declared for a media type, the most specific match first. Prism would match `application/problem+json`
 * with `application/json`.
 */
export function declaredContent(
  contents: readonly PrismContent[],
  mediaType: string,
): PrismContent | undefined {
  const ranges = [mediaType, `${mediaType.split('/')[0]}/*`, '*/*']
  for (const range of ranges) {
    const content = contents.find((candidate) => essence(candidate.mediaType) === range)
    if (content) return content
  }
  return undefined
}

/** A media type without its parameters, in lower case. */
export const essence = (contentType: string): string =>
  (contentType.split(';')[0] as string).trim().toLowerCase()
