/** Code that must not compile: `npx tsc` fails if one of these expected errors is missing. */

import { type AnswerOf, type Handlers, operations } from '../../src/api/operations.ts'

const { getPet: _, ...others } = operations

export const complete = { ...operations } satisfies Handlers

// @ts-expect-error: getPet is missing
export const missing = { ...others } satisfies Handlers

// @ts-expect-error: the contract has no such operation
export const superfluous = { ...operations, adoptPet: operations.getPet } satisfies Handlers

// @ts-expect-error: a created pet is 201
export const wrongStatus = (): AnswerOf<'createPet'> => ({ status: 200, text: '{}' })

// @ts-expect-error: createPet does not answer 404, which getPet does
export const wrongHandler = { ...operations, createPet: operations.getPet } satisfies Handlers
