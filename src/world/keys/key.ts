import type { KeyView } from '../../contract/generated/control.types.d.ts'
import { inThousands } from '../../text/in-thousands.ts'
import { iso } from '../../time/instant.ts'
import { ApiError } from '../api-error.ts'
import type { Budget } from '../budget.ts'
import type { Part } from '../part.ts'
import { type OnChange, PLACE_BYTES } from '../pets/state-size.ts'
import type { PlanName } from '../plan.ts'
import type { StoredKey } from '../store.ts'
import { BUILT_IN_KEYS, builtInKey } from './built-in-keys.ts'
import { Secrets } from './secrets.ts'

/** The limit of keys in one namespace: each change stores all of them. */
const MAX_KEYS = 1000

export const KEY_FORM = /^[A-Za-z0-9_-]{1,128}$/

/** The keys of a namespace: its own, and those that it inherits from `default`. */
export class Keyring implements Part<readonly StoredKey[]> {
  /** Every key that a namespace has or had, to be masked in all output. Keyrings that inherit share one instance. */
  readonly secrets: Secrets
  readonly #inherited: Keyring | undefined
  /** Called after the own keys were replaced. */
  onChange: OnChange = () => {}
  /** The beginning of the names of own keys, which are counted apart: a key of `default` changes no name here. */
  prefix = ''
  #own = new Map<string, StoredKey>()
  #stored: readonly StoredKey[] = []
  #named:
    | { readonly above: Names | undefined; readonly own: readonly StoredKey[]; readonly names: Names }
    | undefined

  /** `budget`: counts the secrets; only for a keyring that inherits none. */
  constructor(own: readonly StoredKey[], inherited?: Keyring, budget?: Budget, secrets = inherited?.secrets) {
    this.#inherited = inherited
    this.secrets = secrets ?? new Secrets(budget)
    this.replace(own)
  }

  /** The keyring as it was with these own keys. */
  withOwn(own: readonly StoredKey[]): Keyring {
    const keyring = new Keyring(own, this.#inherited, undefined, this.secrets)
    keyring.prefix = this.prefix
    return keyring
  }

  /** Whether a key was issued in this namespace, even if it inherits another one of that name. */
  hasIssued(key: string): boolean {
    return this.#own.get(key)?.issued === true
  }

  /** The plan of a key that is valid at `now`; undefined for every other key. */
  planOf(key: string, now: number): PlanName | undefined {
    const own = this.#own.get(key)
    if (own) return isValid(own, now) ? own.plan : undefined
    if (this.#inherited) return this.#inherited.planOf(key, now)
    const builtIn = builtInKey(key)
    return builtIn?.refused ? undefined : builtIn?.plan
  }

  /** The plan that a key has or had, valid or not. */
  lookUp(key: string): PlanName | undefined {
    return this.#own.get(key)?.plan ?? this.#inherited?.lookUp(key) ?? builtInKey(key)?.plan
  }

  list(): KeyView[] {
    const inherited = this.#inherited?.list() ?? builtInViews()
    const views = new Map(inherited.map((view) => [view.key, view]))
    for (const key of this.#own.values()) views.set(key.key, viewOf(key, views.get(key.key)))
    return [...views.values()]
  }

  /**
   * Names for keys that do not reveal them: a built-in key is its own name, another has its plan and its number, `pro key
   * 2`. A replay has the same names, although its keys are others.
   */
  get names(): Names {
    const above = this.#inherited?.names
    if (this.#named?.own !== this.#stored || this.#named.above !== above)
      this.#named = { above, own: this.#stored, names: this.#withOwnNames(above ?? BUILT_IN_NAMES) }
    return this.#named.names
  }

  #withOwnNames(inherited: Names): Names {
    const names = new Map(inherited)
    const first = 1 + (this.prefix === '' ? inherited.size - BUILT_IN_NAMES.size : 0)
    const own = this.#stored.filter(({ key }) => names.get(key) !== key)
    for (const [index, { key, plan }] of own.entries()) {
      // A key of `default` with the same text may have another plan. Without it, all others keep their numbers.
      if (names.get(key)?.startsWith(`${plan} key `)) continue
      names.set(key, `${this.prefix}${plan} key ${first + index}`)
    }
    return names
  }

  /** The own keys and others. Throws an ApiError if one exists, or if there would be too many. */
  with(...keys: readonly StoredKey[]): readonly StoredKey[] {
    const taken = keys.find(({ key }) => this.lookUp(key))
    if (taken) throw new ApiError('conflict', `The key ${taken.key} exists already. Give another one.`)
    if (this.#own.size + keys.length > MAX_KEYS) {
      const message = `There would be more than ${inThousands(MAX_KEYS)} keys of its own in this namespace, which is the limit. Reset the part keys.`
      throw new ApiError('service_unavailable', message)
    }
    return [...this.#own.values(), ...keys]
  }

  /** The own keys with one revoked. An inherited key is hidden in this namespace only. */
  without(name: string): readonly StoredKey[] {
    const plan = this.lookUp(name)
    if (!plan || this.#own.get(name)?.revoked) return this.#stored
    const revoked: StoredKey = { ...(this.#own.get(name) ?? { key: name, plan }), revoked: true }
    // A revoked key keeps its position.
    return [...new Map(this.#own).set(name, revoked).values()]
  }

  /** The own keys as they are stored. */
  get stored(): readonly StoredKey[] {
    return this.#stored
  }

  capture(): readonly StoredKey[] {
    return this.#stored
  }

  restore(own: readonly StoredKey[]): void {
    if (own !== this.#stored) this.replace(own)
  }

  replace(own: readonly StoredKey[]): void {
    const before = this.#stored
    this.#own = byName(own)
    this.#stored = own
    this.secrets.add(this.#own.keys())
    const gone = before.filter((each) => this.#own.get(each.key) !== each)
    // Commands and captured states keep the replaced list.
    this.onChange(undefined, sizeOfKeys(gone) + PLACE_BYTES * before.length)
  }
}

/** The bytes of a key in addition to its text: the object, its place in lists and its names. */
const KEY_BYTES = 250

/** By list: the lists of a thousand namespaces are counted again after each replaced list. */
const sizes = new WeakMap<readonly StoredKey[], number>()

/** About how many bytes the keys of a list take. */
export function sizeOfKeys(keys: readonly StoredKey[]): number {
  const known = sizes.get(keys)
  if (known !== undefined) return known
  const bytes = keys.reduce((sum, { key }) => sum + KEY_BYTES + key.length, 0)
  sizes.set(keys, bytes)
  return bytes
}

/** The own keys of a copy of `default`: its keys `then`, and the built-in keys that were revoked between then and `now`. */
export function keysOfCopy(then: readonly StoredKey[], now: readonly StoredKey[]): readonly StoredKey[] {
  const known = byName(then)
  const restored = now.flatMap(({ key }) => {
    const builtIn = known.has(key) ? undefined : builtInKey(key)
    return builtIn && !builtIn.refused ? [{ key, plan: builtIn.plan }] : []
  })
  return restored.length === 0 ? then : [...then, ...restored]
}

type Names = ReadonlyMap<string, string>

const BUILT_IN_NAMES: Names = new Map(Object.keys(BUILT_IN_KEYS).map((key) => [key, key]))

const byName = (keys: readonly StoredKey[]) => new Map(keys.map((key) => [key.key, key]))

const isValid = (key: StoredKey, now: number): boolean =>
  !key.revoked && (key.expiresAt === undefined || now < Date.parse(key.expiresAt))

const builtInViews = (): KeyView[] =>
  Object.entries(BUILT_IN_KEYS).map(([key, { plan }]) => ({
    key,
    plan,
    expiresAt: key === 'psk_expired' ? iso(0) : null,
    source: 'built-in',
    revoked: key === 'psk_revoked',
  }))

const viewOf = (key: StoredKey, inherited: KeyView | undefined): KeyView => ({
  key: key.key,
  plan: key.plan,
  expiresAt: key.expiresAt ?? null,
  source: inherited?.source ?? (key.issued ? 'issued' : 'fixture'),
  revoked: key.revoked === true,
})
