/** The fault rules of the sandbox: the first rule that matches acts. */
export interface Fault {
  readonly match?: {
    readonly operationId?: string
    readonly method?: string
    readonly path?: string
    readonly key?: string
  }
  readonly effect:
    | { readonly status: number; readonly retryAfter?: number }
    | { readonly wire: 'reset' | 'empty' | 'garbage' }
  readonly when?: 'before' | 'after'
  readonly times?: number
}

export interface Matched {
  readonly operationId: string | undefined
  readonly method: string
  readonly path: string
  readonly key: string
}

export class Faults {
  private rules: { readonly fault: Fault; acted: number }[] = []

  add(fault: Fault): void {
    this.rules.push({ fault, acted: 0 })
  }

  clear(): void {
    this.rules = []
  }

  acted(): number[] {
    return this.rules.map(({ acted }) => acted)
  }

  take(request: Matched): Fault | undefined {
    const rule = this.rules.find(
      ({ fault, acted }) => acted < (fault.times ?? Number.POSITIVE_INFINITY) && matches(fault, request),
    )
    if (rule) rule.acted++
    return rule?.fault
  }
}

const matches = ({ match = {} }: Fault, { operationId, method, path, key }: Matched): boolean =>
  (match.operationId === undefined || match.operationId === operationId) &&
  (match.method === undefined || match.method === method) &&
  (match.path === undefined || isPath(match.path, path)) &&
  (match.key === undefined || match.key === key)

/** Whether a path matches, with or without /v1; a star at the end matches any rest. */
function isPath(pattern: string, path: string): boolean {
  const whole = pattern.startsWith('/v1/') ? pattern : `/v1${pattern}`
  return whole.endsWith('*') ? path.startsWith(whole.slice(0, -1)) : path === whole
}
