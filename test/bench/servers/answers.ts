import { readFileSync } from 'node:fs'

/** The responses of the sandbox under load, for servers without logic. */

interface Pet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status?: string
}

export const pets = (JSON.parse(readFileSync('pets.json', 'utf8')) as { pets: Pet[] }).pets

const EXPOSED =
  'Date, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Deprecation, Sunset, Link, ' +
  'Location, WWW-Authenticate, Allow, Preference-Applied, X-Request-Id'
const NOTES = '</_sandbox/docs/deprecations#getPet>'

const common = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-RateLimit-Limit': '2147483647',
  'X-RateLimit-Remaining': '2147483647',
  'X-RateLimit-Reset': '1795091720',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
  'X-Request-Id': 'req_000001',
}

const deprecation = {
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: `</v1/pets>; rel="successor-version", ${NOTES}; rel="deprecation"; type="text/html", ${NOTES}; rel="sunset"; type="text/html"`,
}

type Headers = Readonly<Record<string, string>>

/** A prepared response. */
export interface Ready {
  readonly headers: Headers
  readonly body: string
}

const ready = (value: unknown, headers: Headers): Ready => {
  const body = JSON.stringify(value)
  return { headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) }, body }
}

export const list = (): Ready => ready(pets, common)
export const ones = (): ReadonlyMap<string, Ready> =>
  new Map(pets.map((pet) => [String(pet.id), ready(pet, { ...common, ...deprecation })]))

/** Stores a new pet in memory. */
export function created({ name, categoryId, status }: Omit<Pet, 'id'>): Ready {
  const pet = { id: pets.length + 1, name, categoryId, ...(status !== undefined && { status }) }
  pets.push(pet)
  return ready(pet, { ...common, Location: `/v1/pets/${pet.id}` })
}
