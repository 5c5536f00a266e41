import document from './generated/control.json' with { type: 'json' }
import { validators } from './generated/control.validators.js'
import { Contract } from './openapi/contract.ts'
import type { OpenApiDocument } from './openapi/document.ts'

/** The contract of the control API, as it was compiled when the program was built. */
export const controlContract = (): Contract =>
  new Contract(document as unknown as OpenApiDocument, validators)
