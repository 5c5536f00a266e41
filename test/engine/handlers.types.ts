/** What must not compile: `npx tsc` fails where one of these expected errors is missing. */

import { type AnswerOf, type Handlers, type OperationDeps, operations } from '../../src/engine/operations.ts'

declare const deps: OperationDeps
declare const pet: Parameters<OperationDeps['writePet']>[0]
const { getPet: _, ...others } = operations

export const complete = { ...operations } satisfies Handlers

// @ts-expect-error: getPet is missing
export const missing = { ...others } satisfies Handlers

// @ts-expect-error: the contract has no such operation
export const superfluous = { ...operations, adoptPet: operations.getPet } satisfies Handlers

// @ts-expect-error: one pet, not a list
export const wrongHandler = { ...operations, getPet: operations.listPets } satisfies Handlers

export const right = (): AnswerOf<'createPet'> => ({ status: 201, text: deps.writePet(pet) })

// @ts-expect-error: a created pet is 201
export const wrongStatus = (): AnswerOf<'createPet'> => ({ status: 200, text: deps.writePet(pet) })

// @ts-expect-error: one pet, not a list
export const wrongValue = (): AnswerOf<'createPet'> => ({ status: 201, text: deps.writePets([pet]) })

// @ts-expect-error: any text
export const anyText = (): AnswerOf<'createPet'> => ({ status: 201, text: '{}' })
