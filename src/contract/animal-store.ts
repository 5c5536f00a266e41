import document from './generated/animal-store.json' with { type: 'json' }
import { validators } from './generated/animal-store.validators.js'
import { Contract } from './openapi/contract.ts'
import type { OpenApiDocument } from './openapi/document.ts'

/** The contract of the Animal Store, compiled at build time. */
export const animalStoreContract = (): Contract => new Contract(document as OpenApiDocument, validators)
