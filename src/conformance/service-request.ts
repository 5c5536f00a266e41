import { stringifyJson } from '../openapi/json.ts'

/** Whose request it is: `anonymous` is nobody's that the service knows. */
export type Identity = 'owner' | 'anonymous'

/** A request to the service, before it has an address. Without `key`, it carries the key that was given. */
export interface ServiceRequest {
  readonly operationId: 'listPets' | 'createPet' | 'getPet' | 'listOrders'
  /** Without the question mark. */
  readonly query?: string
  readonly petId?: string
  /** The bytes to send; a POST without it has an empty body. */
  readonly body?: string
  readonly mediaType?: string
  readonly key?: 'missing' | 'invalid'
}

export const listPets = (query = ''): ServiceRequest => ({ operationId: 'listPets', query })

export const getPet = (petId: unknown): ServiceRequest => ({ operationId: 'getPet', petId: idText(petId) })

/** `body` as it goes over the wire; a value becomes JSON. */
export const createPet = (body?: string | object): ServiceRequest => ({
  operationId: 'createPet',
  ...(body !== undefined && { body: typeof body === 'string' ? body : stringifyJson(body) }),
})

export const without = (key: 'missing' | 'invalid', ask: ServiceRequest): ServiceRequest => ({ ...ask, key })

export const identityOf = ({ key }: ServiceRequest): Identity => (key ? 'anonymous' : 'owner')

/** A key that nobody has issued. */
export const INVALID_KEY = 'a-key-that-nobody-has-issued'

const idText = (id: unknown): string => (typeof id === 'string' ? id : stringifyJson(id))
