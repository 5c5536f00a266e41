import document from './generated/control.json' with { type: 'json' }
import { validators } from './generated/control.validators.js'
import { Contract } from './openapi/contract.ts'
import type { OpenApiDocument } from './openapi/document.ts'

/** The contract of the control API, compiled at build time. */
export const controlContract = (): Contract =>
  new Contract(document as unknown as OpenApiDocument, validators)
