import { stringifyJson } from '../../contract/json.ts'

/** Whose request it is: `anonymous` is nobody's that the service knows. */
export type Caller = 'owner' | 'anonymous'

/** A request to the service, before it has an address. Without `key`, it carries the key that was given. */
export interface Ask {
  readonly operationId: 'listPets' | 'createPet' | 'getPet' | 'listOrders'
  /** Without the question mark. */
  readonly query?: string
  readonly petId?: string
  /** The bytes to send; a POST without it has an empty body. */
  readonly body?: string
  readonly mediaType?: string
  readonly key?: 'missing' | 'invalid'
}

export const listPets = (query = ''): Ask => ({ operationId: 'listPets', query })

export const getPet = (petId: unknown): Ask => ({ operationId: 'getPet', petId: idText(petId) })

/** `body` as it goes over the wire; a value becomes JSON. */
export const createPet = (body?: string | object): Ask => ({
  operationId: 'createPet',
  ...(body !== undefined && { body: typeof body === 'string' ? body : stringifyJson(body) }),
})

export const without = (key: 'missing' | 'invalid', ask: Ask): Ask => ({ ...ask, key })

export const callerOf = ({ key }: Ask): Caller => (key ? 'anonymous' : 'owner')

/** A key that nobody has issued. */
export const INVALID_KEY = 'a-key-that-nobody-has-issued'

const idText = (id: unknown): string => (typeof id === 'string' ? id : stringifyJson(id))
