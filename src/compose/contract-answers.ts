import { ApiError } from '../domain/api-error.ts'
import type { Call } from '../engine/call.ts'
import type { Mock } from '../engine/force.ts'
import { REQUEST_BODY_LIMIT } from '../engine/operations.ts'
import { restOf } from '../engine/resolve.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { stringifyJson } from '../openapi/json.ts'
import type { Mocker } from '../prism/mocker.ts'
import type { RefuseInvalid } from '../prism/refuse-invalid.ts'

/** Answers from the contract alone, through Prism, which is loaded when it is first needed. */
export function createMock(document: () => OpenApiDocument): Mock {
  let mocker: Promise<Mocker> | undefined
  return async (call, operation, preference) => {
    mocker ??= import('../prism/mocker.ts').then(({ createMocker }) => createMocker(document()))
    const seed = Math.floor(call.world.chance() * 2 ** 32)
    const { status, body } = await (await mocker).mock(operation.id, { ...preference, seed })
    return { status, ...(body !== undefined && { text: stringifyJson(body) }) }
  }
}

/** Validates requests that only the contract describes, through Prism as well. */
export function createRequestCheck(document: () => OpenApiDocument): (call: Call) => Promise<void> {
  let check: Promise<RefuseInvalid> | undefined
  return async (call) => {
    const { method, headers, body = new Uint8Array(), tooLarge } = call.request
    if (tooLarge)
      throw new ApiError('body_too_large', `The body is larger than ${REQUEST_BODY_LIMIT / 1024} KiB.`)
    check ??= import('../prism/refuse-invalid.ts').then((prism) => prism.createRefuseInvalid(document()))
    const refuseInvalid = await check
    const [path = ''] = restOf(call).split('?')
    refuseInvalid({ method, path, query: call.query, headers, body: Buffer.from(body).toString() })
  }
}
