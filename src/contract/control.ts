import document from './generated/control.json' with { type: 'json' }
import { validators } from './generated/control.validators.js'
import { Contract } from './openapi/contract.ts'
import type { OpenApiDocument, SchemaObject } from './openapi/document.ts'

/** The contract of the control API, compiled at build time. `overlaid`: the contract whose pets its document describes. */
export const controlContract = (overlaid?: Contract): Contract =>
  new Contract(overlaid?.overlay === undefined ? OWN : withPets(overlaid), validators)

const OWN = document as OpenApiDocument

/** The document with the fields and the statuses of a pet that an overlay may have changed. */
function withPets({ petShape: { schema, required, statuses = [] } }: Contract): OpenApiDocument {
  const { schemas = {} } = OWN.components ?? {}
  const { PetStatus, Seed } = schemas
  const share: SchemaObject = { type: 'number', minimum: 0 }
  const status = {
    ...Seed?.properties?.status,
    properties: Object.fromEntries(statuses.map((each) => [each, share])),
  }
  const pets = {
    Pet: schema,
    FixturePet: { ...schema, required, additionalProperties: false },
    PetStatus: statuses.length > 0 ? { ...PetStatus, enum: statuses } : { type: 'string' },
    Seed: { ...Seed, properties: { ...Seed?.properties, status } },
  }
  return { ...OWN, components: { ...OWN.components, schemas: { ...schemas, ...pets } } }
}
