import type { OpenApiDocument } from '../contract/openapi/document.ts'
import { queryParameters } from '../contract/openapi/read-request.ts'
import { shorten } from '../text/shorten.ts'
import { type Eventually, once, whenReady } from '../time/eventually.ts'
import { ApiError, methodNotAllowed } from '../world/api-error.ts'
import { NAMESPACE_FORM } from '../world/keys/bearer-token.ts'
import type { Policy } from '../world/policy.ts'
import { withoutOrigin } from '../world/traffic/address.ts'
import { isRead, type Request } from '../world/traffic/message.ts'
import { NEW_NAMESPACE, type Worlds } from '../world/worlds.ts'
import { type Answer, type Call, errorAnswer } from './call.ts'
import { identify } from './identify.ts'
import { isRemovedFor } from './resolve.ts'

export interface DocumentDeps {
  readonly policy: Policy
  readonly worlds: Worlds
  /** The effective contract; the same object until its content changes. */
  readonly effectiveDocument: (removed: boolean) => Eventually<OpenApiDocument>
  readonly toYaml: (document: OpenApiDocument) => Promise<string>
  /** The text for language models, served at `/llms.txt`. */
  readonly summary: () => Promise<string>
}

export const ALLOW = 'GET, HEAD, OPTIONS'

const PATHS = ['/openapi.json', '/openapi.yaml', '/llms.txt']

/** Whether a request is for a document, which needs no key. */
export function isDocument({ target }: Pick<Request, 'target'>): boolean {
  const [path = ''] = withoutOrigin(target).split('?', 1)
  return PATHS.includes(path)
}

/** Serves `/openapi.json` and `/openapi.yaml` for the namespace of the caller, and `/llms.txt`: without authentication. */
export function createDocuments(deps: DocumentDeps): (call: Call) => Eventually<Answer> {
  /** Each text is made only once. */
  const texts = new WeakMap<OpenApiDocument, { json?: string; yaml?: () => Promise<string> }>()
  return (call) => {
    if (!isRead(call.request)) return errorAnswer(methodNotAllowed(call.request.method, ALLOW))
    if (call.path === '/llms.txt')
      return deps.summary().then((text) => ({ status: 200, text, mediaType: 'text/plain; charset=utf-8' }))
    const namespace = queryParameters(call.query).get('namespace')
    if (namespace !== null && !NAMESPACE_FORM.test(namespace)) {
      const problem = `namespace must be a name of 1 to 64 of A-Z a-z 0-9 _ -, not "${shorten(namespace)}"`
      return errorAnswer(new ApiError('invalid_parameter', problem))
    }
    enterNamespace(call, namespace, deps)
    const effective = deps.effectiveDocument(isRemovedFor(call, deps.policy))
    const headers = deps.worlds.find(namespace ?? call.world.name) ? [] : NEW_NAMESPACE
    return whenReady(effective, (document): Eventually<Answer> => {
      const known = texts.get(document) ?? {}
      texts.set(document, known)
      if (call.path === '/openapi.json') {
        known.json ??= JSON.stringify(document, undefined, 2)
        return { status: 200, headers, text: known.json }
      }
      known.yaml ??= once(() => deps.toYaml(document))
      return known.yaml().then((text) => ({ status: 200, headers, text, mediaType: 'application/yaml' }))
    })
  }
}

/** The call takes place in the namespace whose document it gets. Reads create no namespace. */
function enterNamespace(call: Call, namespace: string | null, { worlds }: DocumentDeps): void {
  if (namespace !== null) {
    call.now = worlds.nowOf(namespace, call.arrived)
    return
  }
  try {
    identify(call, {
      keysOf: (name) => worlds.keysOf(name),
      nowOf: (name, real) => worlds.nowOf(name, real),
      get: (name, real) => worlds.peek(name, real),
      forRefused: () => worlds.default,
    })
  } catch {
    // Without a valid key, the document of `default`.
  }
}
