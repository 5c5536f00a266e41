import { PLAN_NAMES } from '../../world/plan.ts'
import { type Policy, renamedCode } from '../../world/policy.ts'
import { completeChanges, restrictFields } from './changes-of-pets.ts'
import {
  METHODS,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  resolveRef,
  type SchemaObject,
} from './document.ts'

/** Caches the effective document by state and base URL; callers must not change it. */
export function effectiveDocuments(
  contract: OpenApiDocument,
  policy: Policy,
  baseUrl: () => string,
): (removed: boolean) => OpenApiDocument {
  const made = new Map<string, OpenApiDocument>()
  return (removed) => {
    const at = { removed, baseUrl: baseUrl() }
    const state = JSON.stringify(at)
    const document = made.get(state) ?? effectiveDocument(contract, policy, at)
    made.set(state, document)
    return document
  }
}

/**
 * The effective contract: with the responses that are possible under this policy at this time. `removed`: whether
 * deprecated operations are removed; `baseUrl`: of the sandbox, ending in /v1.
 */
export function effectiveDocument(
  contract: OpenApiDocument,
  policy: Policy,
  { removed, baseUrl }: { removed: boolean; baseUrl: string },
): OpenApiDocument {
  const document = structuredClone(contract)
  completeChanges(document, policy)
  for (const { path, method, operation } of operationsOf(document)) {
    if (operation.operationId === 'listOrders' && policy.orders !== 'mock') delete document.paths[path]
    if (operation.deprecated && removed) removeOperation(document, path, method)
    if (policy.ban.status === 403) operation.responses['403'] = { $ref: '#/components/responses/Banned' }
  }
  const operation = (id: string): OperationObject | undefined =>
    [...operationsOf(document)].find((entry) => entry.operation.operationId === id)?.operation
  restrictList(document, operation('listPets'), policy)
  restrictNewPet(document, operation('createPet'), policy)
  const getPet = operation('getPet')
  if (getPet && policy.get.invalidId === '400')
    getPet.responses['400'] = { $ref: '#/components/responses/InvalidParameter' }
  if (policy.ban.status === 403) addBanned(document)
  renameCodes(document, policy)
  describePlans(document, policy)
  dropUnused(document)
  const [own, ...others] = document.servers ?? []
  document.servers = [{ ...own, url: baseUrl }, ...others]
  return document
}

function removeOperation(document: OpenApiDocument, path: string, method: string): void {
  const item = document.paths[path] ?? {}
  for (const name of METHODS) if (name.toUpperCase() === method) delete item[name]
  if (METHODS.every((name) => item[name] === undefined)) delete document.paths[path]
}

function restrictList(
  document: OpenApiDocument,
  listPets: OperationObject | undefined,
  policy: Policy,
): void {
  for (const reference of listPets?.parameters ?? []) {
    const parameter = resolveRef(document, reference)
    if (parameter.name === 'limit' && policy.list.limit === 'clamp') {
      parameter.schema = { type: 'integer', default: parameter.schema?.default }
    }
    if (parameter.name === 'status' && policy.list.status !== 'reject') parameter.schema = { type: 'string' }
  }
}

function restrictNewPet(
  document: OpenApiDocument,
  createPet: OperationObject | undefined,
  policy: Policy,
): void {
  const body = createPet?.requestBody && resolveRef(document, createPet.requestBody)
  const reference = body?.content['application/json']?.schema
  if (!reference) return
  const schema = resolveRef<SchemaObject>(document, reference)
  restrictFields(schema, policy)
  if (policy.create.status === 'absent') return
  const { status } = schema.properties ?? {}
  schema.properties = { ...schema.properties, status: { ...status, default: policy.create.status } }
}

function addBanned(document: OpenApiDocument): void {
  const responses = document.components?.responses
  const refused = responses?.TooManyRequests
  if (refused) responses.Banned = { ...refused, description: 'The key is banned for a while.' }
}

/** Renames the error codes in examples. Examples of an overlay may contain anything. */
function renameCodes(document: OpenApiDocument, policy: Policy): void {
  for (const response of Object.values(document.components?.responses ?? {})) {
    for (const example of Object.values(response.content?.['application/json']?.examples ?? {})) {
      const error = Object(example?.value) as { code?: unknown }
      if (typeof error.code === 'string') error.code = renamedCode(policy, error.code)
    }
  }
}

function describePlans(document: OpenApiDocument, { plans }: Policy): void {
  const rows = PLAN_NAMES.map(
    (name) => `| ${name} | ${plans[name].perMinute ?? 'unlimited'} | ${plans[name].perDay ?? 'unlimited'} |`,
  )
  const table = ['| Plan | Requests per minute | Requests per day |', '| --- | --- | --- |', ...rows]
  document.info.description = `${String(document.info.description).trimEnd()}\n\n${table.join('\n')}\n`
}

/** Removes unused components, and then those that only they used. */
function dropUnused(document: OpenApiDocument): void {
  const text = JSON.stringify(document)
  let dropped = false
  for (const [kind, components = {}] of Object.entries(document.components ?? {})) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(components)) {
      if (text.includes(`"#/components/${kind}/${name}"`)) continue
      delete components[name]
      dropped = true
    }
  }
  if (dropped) dropUnused(document)
}
