import type { OpenApiDocument } from './contract/document.ts'
import { stringifyJson } from './contract/json.ts'
import { Problem } from './domain/problem.ts'
import type { Call } from './engine/call.ts'
import type { Mock } from './engine/force.ts'
import { BODY_LIMIT } from './engine/operations.ts'
import { restOf } from './engine/resolve.ts'
import type { Check } from './prism/check.ts'
import type { Mocker } from './prism/mocker.ts'

/** Answers from the contract alone, through Prism, which is loaded when it is first needed. */
export function createMock(document: () => OpenApiDocument): Mock {
  let mocker: Promise<Mocker> | undefined
  return async (call, operation, preference) => {
    mocker ??= import('./prism/mocker.ts').then(({ createMocker }) => createMocker(document()))
    const seed = Math.floor(call.world.chance() * 2 ** 32)
    const { status, body } = await (await mocker).mock(operation.id, { ...preference, seed })
    return { status, ...(body !== undefined && { text: stringifyJson(body) }) }
  }
}

/** Judges what the sandbox has no memory for by the contract alone, through Prism as well. */
export function createCheck(document: () => OpenApiDocument): (call: Call) => Promise<void> {
  let check: Promise<Check> | undefined
  return async (call) => {
    const { method, headers, body = new Uint8Array(), tooLarge } = call.request
    if (tooLarge) throw new Problem('body_too_large', `The body is larger than ${BODY_LIMIT / 1024} KiB.`)
    check ??= import('./prism/check.ts').then((prism) => prism.createCheck(document()))
    const judge = await check
    const [path = ''] = restOf(call).split('?')
    judge({ method, path, query: call.query, headers, body: Buffer.from(body).toString() })
  }
}
