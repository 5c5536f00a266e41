import { computed, effect, signal } from '@preact/signals'
import { standing } from './api.ts'
import { route, world } from './location.ts'
import { ruleOpen } from './panels.ts'

/** The members of a schema that the page reads. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export interface ServedDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** The effective document of the Animal Store, with what an overlay adds; it is open to everyone. */
const contract = signal<ServedDocument>({})

let readOf = ''

/** It is read where it is shown, as each reading takes an id of a request of `default`. */
effect(() => {
  if (standing.value.state !== 'live') readOf = ''
  else if ((route.value.view === 'pets' || ruleOpen.value) && readOf !== world.value)
    read(world.value).catch(() => {
      readOf = ''
    })
})

async function read(namespace: string): Promise<void> {
  readOf = namespace
  const response = await fetch(`/openapi.json?${new URLSearchParams({ namespace })}`)
  const found = await response.json()
  if (readOf === namespace) contract.value = found
}

/** A field of a schema, whatever it refers to. */
export interface Field extends Schema {
  readonly name: string
  readonly isRequired: boolean
}

/** The fields of a schema in the order of the document. */
export function fieldsOf({ components }: ServedDocument, name: string): Field[] {
  const known = components?.schemas ?? {}
  const { properties = {}, required = [] } = known[name] ?? {}
  const resolved = (schema: Schema): Schema => {
    const target = known[schema.$ref?.replace('#/components/schemas/', '') ?? '']
    return target ? { ...target, ...schema } : schema
  }
  return Object.entries(properties).map(([field, schema]) => ({
    ...resolved(schema),
    name: field,
    isRequired: required.includes(field),
  }))
}

/** The fields of a pet, and of a new one. */
export const petFields = computed(() => fieldsOf(contract.value, 'Pet'))
export const newPetFields = computed(() => fieldsOf(contract.value, 'NewPet'))

/** The operations that a request can call. */
export const operations = computed(() =>
  Object.values(contract.value.paths ?? {}).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  ),
)
