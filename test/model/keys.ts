import type { Decisions } from './settings.ts'

/** The plans (interface, section 8). */
export type PlanName = 'free' | 'pro' | 'business' | 'enterprise'

export interface Plan {
  readonly minute: number
  readonly day: number
}

export const UNLIMITED = 2147483647

const BUILT_IN: Readonly<Record<string, PlanName>> = {
  psk_free: 'free',
  psk_pro: 'pro',
  psk_business: 'business',
  psk_enterprise: 'enterprise',
  psk_limited: 'free',
  psk_day_limited: 'free',
  psk_banned: 'free',
  psk_flaky: 'pro',
  psk_unstable: 'pro',
  psk_empty: 'pro',
  psk_removed: 'pro',
}

export function planOf(name: PlanName, decisions: Decisions): Plan {
  if (name === 'business') return { minute: 1000, day: 100_000 }
  if (name === 'enterprise') return { minute: 10_000, day: 1_000_000 }
  const [minute = '', day = ''] = decisions[`plans.${name}`].split('/')
  const requests = (text: string) => (text === 'unlimited' ? UNLIMITED : Number(text))
  return { minute: requests(minute), day: requests(day) }
}

interface Issued {
  readonly plan: PlanName
  readonly expiresAt?: number
}

/** The keys of a namespace. They replace those of `default`, which replace the built-in ones. */
export class Keys {
  private issued = new Map<string, Issued>()
  private revoked = new Set<string>()
  private readonly above: Keys | undefined

  constructor(above?: Keys) {
    this.above = above
  }

  find(key: string, now: number): PlanName | undefined {
    if (this.revoked.has(key)) return undefined
    const issued = this.issued.get(key)
    if (issued) return issued.expiresAt !== undefined && now >= issued.expiresAt ? undefined : issued.plan
    return this.above ? this.above.find(key, now) : BUILT_IN[key]
  }

  knows(key: string): boolean {
    return this.issued.has(key) || this.revoked.has(key) || (this.above?.knows(key) ?? key in BUILT_IN)
  }

  issue(key: string, issued: Issued): void {
    this.issued.set(key, issued)
  }

  revoke(key: string): void {
    this.revoked.add(key)
  }

  reset(): void {
    this.issued = new Map()
    this.revoked = new Set()
  }

  save(): () => void {
    const [issued, revoked] = [new Map(this.issued), new Set(this.revoked)]
    return () => {
      this.issued = new Map(issued)
      this.revoked = new Set(revoked)
    }
  }
}

export type Credential =
  | { readonly is: 'missing' }
  | { readonly is: 'sent'; readonly key: string; readonly namespace: string }
  /** More than a single token was sent. */
  | { readonly is: 'malformed' }

/** The scheme in any case, one or more spaces, one token. A valid suffix is the namespace. */
export function credentialOf(authorization: string | undefined): Credential {
  const [scheme = '', ...tokens] = (authorization ?? '').split(' ').filter((part) => part !== '')
  if (scheme.toLowerCase() !== 'bearer' || tokens.length === 0) return { is: 'missing' }
  if (tokens.length > 1) return { is: 'malformed' }
  const [token = ''] = tokens
  const [, key, namespace] = /^(.*?)\.([A-Za-z0-9_-]{1,64})$/.exec(token) ?? [undefined, token, 'default']
  return { is: 'sent', key: key ?? token, namespace: namespace ?? 'default' }
}
