import { stringifyJson } from '../../contract/openapi/json.ts'

/** The caller of a request; `anonymous` has no valid key. */
export type Identity = 'owner' | 'anonymous'

/** A request to the service, without the base address. Without `key`, it has the given key. */
export interface ServiceRequest {
  readonly operationId: 'listPets' | 'createPet' | 'getPet' | 'listOrders'
  /** Without the question mark. */
  readonly query?: string
  readonly petId?: string
  /** The bytes to send; a POST without it has an empty body. */
  readonly body?: string
  readonly key?: 'missing' | 'invalid'
}

export const listPets = (query = ''): ServiceRequest => ({ operationId: 'listPets', query })

export const getPet = (petId: unknown): ServiceRequest => ({ operationId: 'getPet', petId: idText(petId) })

/** `body`: a string is sent as it is; an object becomes JSON. */
export const createPet = (body?: string | object): ServiceRequest => ({
  operationId: 'createPet',
  ...(body !== undefined && { body: typeof body === 'string' ? body : stringifyJson(body) }),
})

export const without = (key: 'missing' | 'invalid', sent: ServiceRequest): ServiceRequest => ({
  ...sent,
  key,
})

export const identityOf = ({ key }: ServiceRequest): Identity => (key ? 'anonymous' : 'owner')

/** A key that was never issued. */
export const INVALID_KEY = 'a-key-that-nobody-has-issued'

const idText = (id: unknown): string => (typeof id === 'string' ? id : stringifyJson(id))
