import { MAX_INT64, MIN_INT64, type Pet, STATUSES } from './pets.ts'
import type { Decisions } from './settings.ts'

/** A body of createPet (interface, sections 2 and 4.2). */
export type Body =
  /** Members as name and JSON text. */
  | { readonly is: 'members'; readonly members: readonly (readonly [string, string])[] }
  | { readonly is: 'text'; readonly text: string; readonly code: 'invalid_json' | 'invalid_body' }
  | { readonly is: 'empty' }
  | { readonly is: 'large' }

export const bodyText = (body: Body): string => {
  if (body.is === 'members')
    return `{${body.members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
  if (body.is === 'text') return body.text
  return body.is === 'empty' ? '' : `{"name":"${'x'.repeat(110_000)}","categoryId":1}`
}

export type NewPet =
  | { readonly is: 'valid'; readonly pet: Omit<Pet, 'id'>; readonly ignored: readonly string[] }
  | {
      readonly is: 'refused'
      readonly status: 400 | 413 | 415
      readonly code: string
      readonly message?: RegExp
      /** The stage of the error: reading the body, checking that it is an object, or validating its fields. */
      readonly stage: 'reading' | 'shape' | 'fields'
    }

const KNOWN = ['name', 'categoryId', 'status']

/** Reads a body, in the order of the checks: empty body, media type, size, JSON, validation. */
export function readNewPet(body: Body, contentType: string | undefined, decisions: Decisions): NewPet {
  const values = membersIn(body, contentType)
  return values instanceof Map ? judged(values, values, decisions) : values
}

/** Reads a merge patch of a pet (RFC 7396). Without a pet, only errors that do not depend on it are found. */
export function readPatch(
  body: Body,
  contentType: string | undefined,
  decisions: Decisions,
  pet: Pet | undefined,
): NewPet {
  const sent = membersIn(body, contentType)
  if (!(sent instanceof Map)) return sent
  const after = new Map<string, string>()
  if (pet) {
    after.set('name', JSON.stringify(pet.name))
    after.set('categoryId', String(pet.categoryId))
    if (pet.status) after.set('status', JSON.stringify(pet.status))
  }
  for (const [name, text] of sent) {
    if (text === 'null') after.delete(name)
    else after.set(name, text)
  }
  return judged(after, sent, { ...decisions, 'create.status': 'absent' })
}

/** The members of the sent object by name, or a refusal. */
function membersIn(
  body: Body,
  contentType: string | undefined,
): Map<string, string> | (NewPet & { is: 'refused' }) {
  if (body.is === 'empty') return refused(400, 'invalid_body')
  if (!isJson(contentType)) return refused(415, 'unsupported_media_type')
  if (body.is === 'large') return refused(413, 'body_too_large')
  if (body.is === 'text') return refused(400, body.code, body.code === 'invalid_body' ? 'shape' : 'reading')
  const values = new Map<string, string>()
  for (const [name, text] of body.members) {
    if (values.has(name) && values.get(name) !== text)
      return { ...refused(400, 'invalid_json'), message: new RegExp(name) }
    values.set(name, text)
  }
  return values
}

/** `values` are the fields of the resulting pet, `sent` those of the request. */
function judged(
  values: ReadonlyMap<string, string>,
  sent: ReadonlyMap<string, string>,
  decisions: Decisions,
): NewPet {
  const ignored = [...sent.keys()].filter((name) => !KNOWN.includes(name))
  // A blank name from before is not an error of this request.
  const blank = sent.has('name') ? decisions['create.blankName'] : 'accept'
  const problems = problemsOf(values, { ...decisions, 'create.blankName': blank })
  if (problems.length > 0 || (ignored.length > 0 && decisions.unknown === 'reject'))
    return { ...refused(400, 'invalid_body', 'fields'), message: new RegExp(problems.join('; ')) }
  const status = values.get('status')
  const given = status === undefined ? decisions['create.status'] : JSON.parse(status)
  return {
    is: 'valid',
    pet: {
      name: JSON.parse(values.get('name') ?? '""'),
      categoryId: integerOf(values.get('categoryId') ?? '') ?? 0n,
      ...(given !== 'absent' && { status: given }),
    },
    ignored,
  }
}

const refused = (status: 400 | 413 | 415, code: string, stage: 'reading' | 'shape' | 'fields' = 'reading') =>
  ({ is: 'refused', status, code, stage }) as const

const isJson = (contentType: string | undefined): boolean =>
  /^application\/json(; charset=utf-8)?$/i.test(contentType ?? '')

/** All violations, in field order. */
function problemsOf(values: ReadonlyMap<string, string>, decisions: Decisions): string[] {
  const name = values.get('name')
  const categoryId = values.get('categoryId')
  const status = values.get('status')
  const problems: string[] = []
  if (name === undefined) problems.push('name is required')
  else if (!name.startsWith('"')) problems.push('name .*')
  else if (decisions['create.blankName'] === 'reject' && JSON.parse(name).trim() === '')
    problems.push('name .*')
  if (categoryId === undefined) problems.push('categoryId is required')
  else if (integerOf(categoryId) === undefined) problems.push('categoryId must be an integer \\(int64\\)')
  if (status !== undefined && !STATUSES.some((known) => status === `"${known}"`)) problems.push('status .*')
  return problems
}

/** An integer of JSON Schema (1.0 and 1e2 are integers) within int64, computed from its text. */
export function integerOf(text: string): bigint | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = `${whole}${fraction}`.replace(/0+$/, '')
  const zeros = whole.length + fraction.length - digits.length + Number(exponent) - fraction.length
  if (digits === '' || /^0+$/.test(digits)) return 0n
  if (zeros < 0 || zeros > 30) return undefined
  const value = BigInt(`${sign}${digits}${'0'.repeat(zeros)}`)
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined
}
