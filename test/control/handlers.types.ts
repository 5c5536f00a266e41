/** Code that must not compile: `npx tsc` fails if one of these expected errors is missing. */

import { controlOperations } from '../../src/control/control.ts'
import type {
  OperationContext,
  OperationHandlers,
  ReplyOf,
  SomeHandlers,
} from '../../src/control/operation.ts'
import { jsonReply, NO_CONTENT } from '../../src/control/reply.ts'

declare const context: OperationContext<'listRequests'> & OperationContext<'turnClock'>
const { getClock: _, ...others } = controlOperations

export const complete = { ...controlOperations } satisfies OperationHandlers

// @ts-expect-error: getClock is missing
export const missing = { ...others } satisfies OperationHandlers

export const superfluous = {
  ...controlOperations,
  // @ts-expect-error: the contract has no such operation
  getWeather: () => NO_CONTENT,
} satisfies OperationHandlers

export const wrongHandler = {
  ...controlOperations,
  // @ts-expect-error: fault rules are not keys
  listKeys: controlOperations.listFaults,
} satisfies OperationHandlers

export const observing = {
  // @ts-expect-error: a call that only observes has no command
  getHealth: { observe: (context) => jsonReply(200, { pets: context.command.n } as never) },
} satisfies SomeHandlers

// @ts-expect-error: 204 instead of the clock
export const wrongStatus = { ...controlOperations, getClock: () => NO_CONTENT } satisfies OperationHandlers

// @ts-expect-error: frozen is a boolean
export const wrongValue = (): ReplyOf<'getClock'> => jsonReply(200, { now: '', frozen: 'no' })

// @ts-expect-error: frozen is missing
export const missingMember = (): ReplyOf<'getClock'> => jsonReply(200, { now: '' })

// @ts-expect-error: a created fault rule is 201
export const wrongPair = (): ReplyOf<'addFault'> => jsonReply(200, context as never)

// @ts-expect-error: the contract has no such parameter
export const unknownParameter = context.query.page

// @ts-expect-error: a status is a number
export const wrongParameter: string | undefined = context.query.status

// @ts-expect-error: the path of this operation has no parameters
export const unknownPathParameter = context.params.id

// @ts-expect-error: the contract has no such field
export const unknownField = context.body.rewind
