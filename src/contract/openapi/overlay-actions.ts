import { parse } from 'yaml'
import { errorCode, errorMessage, TOO_DEEP } from '../../text/error.ts'
import { shorten } from '../../text/shorten.ts'
import { InvalidDocument, nameInPointer } from './document.ts'

/** An action of an OpenAPI Overlay, with the fields of the reusable action that it names (Overlay 1.2, section 4.4.5). */
export interface OverlayAction {
  readonly target: string
  readonly update?: unknown
  /** The place whose value is the update. */
  readonly copy?: string
  readonly remove?: boolean
}

/** The actions of an OpenAPI Overlay 1.0, 1.1 or 1.2, from its text. Throws an InvalidDocument. */
export function readActions(text: string): readonly OverlayAction[] {
  const { overlay: version, actions, components } = Object(parsed(text))
  if (!/^1\.[0-2]\.\d+$/.test(String(version)))
    throw new InvalidDocument('it must begin with "overlay: 1.0.0", 1.1.0 or 1.2.0')
  if (!Array.isArray(actions) || actions.length === 0) throw new InvalidDocument('it needs a list of actions')
  return actions.map((action, i) => readAction(action, components?.actions, `actions[${i}]`))
}

function readAction(given: unknown, reusable: unknown, place: string): OverlayAction {
  const { $ref, ...own }: Partial<OverlayAction> & { $ref?: unknown } = Object(given)
  const action = $ref === undefined ? own : { ...fieldsOf($ref, reusable, place), ...own }
  const { target, update, copy, remove } = action
  if (typeof target !== 'string') throw new InvalidDocument(`${place}.target must be a JSONPath expression`)
  if (remove === true) return { target, remove }
  if ((update === undefined) === (copy === undefined))
    throw new InvalidDocument(`${place} needs one of update, copy, or remove: true`)
  if (copy === undefined) return { target, update }
  if (typeof copy !== 'string') throw new InvalidDocument(`${place}.copy must be a JSONPath expression`)
  return { target, copy }
}

const REUSABLE = '#/components/actions/'

function fieldsOf(ref: unknown, reusable: unknown, place: string): object {
  const pointer = String(ref)
  const name = nameInPointer(pointer.slice(REUSABLE.length))
  const known = Object(reusable)
  if (!pointer.startsWith(REUSABLE) || !Object.hasOwn(known, name))
    throw new InvalidDocument(`${place}.$ref: there is no ${shorten(pointer, 200)}`)
  return Object(known[name]?.fields)
}

/** Every error of the parser is about the text, which the message quotes after its first line. */
function parsed(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' })
  } catch (error) {
    if (errorCode(error) === 'RESOURCE_EXHAUSTION') throw new InvalidDocument(TOO_DEEP)
    throw new InvalidDocument(errorMessage(error).split('\n', 1)[0]?.replace(/:$/, '') ?? '')
  }
}

/**
 * Throws an InvalidDocument if the places of an action may take very long to find: each `..` and each list can multiply
 * the matches; `match` and `search` take a regular expression.
 */
export function checkPlaces({ target, copy = '' }: OverlayAction): void {
  for (const place of [target, copy]) {
    const isSlow = place.split('..').length > 3 || place.split(',').length > 10
    if (!isSlow && !/\b(?:match|search)\s{0,9}\(/.test(place)) continue
    const shown = shorten(place, 200)
    throw new InvalidDocument(`its place ${shown} may take very long; name its places one by one`)
  }
}
