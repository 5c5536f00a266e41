import { Contract } from './contract.ts'
import type { OpenApiDocument } from './document.ts'
import document from './generated/control.json' with { type: 'json' }
import { validators } from './generated/control.validators.js'

/** The contract of the control API, as it was compiled when the program was built. */
export const controlContract = (): Contract =>
  new Contract(document as unknown as OpenApiDocument, validators)
