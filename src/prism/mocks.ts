import type { Call } from '../api/call.ts'
import type { Mock } from '../api/force.ts'
import { restOf } from '../api/resolve.ts'
import { REQUEST_BODY_LIMIT } from '../api/sent-pet.ts'
import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { stringifyJson } from '../contract/openapi/json.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import { ApiError } from '../world/api-error.ts'

/** Answers made from the contract alone. */
export interface Mocks {
  readonly mock: Mock
  /** Validates a request of an operation without state. Throws an ApiError. */
  readonly check: (call: Call) => void
  /** Loads both before the first request that needs them; undefined where they are loaded. */
  readonly load: () => Promise<void> | undefined
}

/** Mocks by Prism. */
export function prismMocks(document: () => Promise<OpenApiDocument>): Mocks {
  const mock = createMock(document)
  const check = createRequestCheck(document)
  return {
    mock,
    check,
    load: () => {
      const [first, second] = [mock.load(), check.load()]
      return first || second ? Promise.all([first, second]).then(() => {}) : undefined
    },
  }
}

/** Answers from the contract alone, through Prism, which is loaded when it is first needed. */
function createMock(document: () => Promise<OpenApiDocument>): Mock & Loaded {
  const mocker = loading(async () => {
    const { createMocker } = await import('./mocker.ts')
    return createMocker(await document())
  })
  const mock: Mock = (call, operation, preference) => {
    const seed = Math.floor(call.world.chance() * 2 ** 32)
    const { status, body } = mocker.loaded().mock(operation.id, { ...preference, seed })
    return { status, ...(body !== undefined && { text: stringifyJson(body) }) }
  }
  return Object.assign(mock, { load: mocker.load })
}

/** Validates requests of operations without state against the contract, through Prism as well. */
function createRequestCheck(document: () => Promise<OpenApiDocument>): ((call: Call) => void) & Loaded {
  const refuse = loading(async () => {
    const { createRefuseInvalid } = await import('./refuse-invalid.ts')
    return createRefuseInvalid(await document())
  })
  const check = (call: Call) => {
    const { method, headers, body = new Uint8Array(), tooLarge } = call.request
    if (tooLarge)
      throw new ApiError('body_too_large', `The body is larger than ${REQUEST_BODY_LIMIT / 1024} KiB.`)
    const [path = ''] = restOf(call).split('?')
    refuse.loaded()({ method, path, query: call.query, headers, body: decodeUtf8(body) })
  }
  return Object.assign(check, { load: refuse.load })
}

/** Loaded before the first request that needs it, so that requests themselves wait for nothing. */
interface Loaded {
  /** Undefined where it is loaded. */
  readonly load: () => Promise<void> | undefined
}

function loading<T>(start: () => Promise<T>): Loaded & { readonly loaded: () => T } {
  let found: { readonly value: T } | undefined
  let promise: Promise<void> | undefined
  return {
    load() {
      if (found) return undefined
      promise ??= start().then((value) => {
        found = { value }
      })
      return promise
    },
    loaded() {
      if (!found) throw new Error('Prism was not loaded before the request that needs it')
      return found.value
    },
  }
}
