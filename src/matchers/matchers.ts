import type { ControlError } from '../client/control-error.ts'
import type { Waiting, WorldHandle } from '../client/world.ts'
import type { JournalEntry, RequestMatch, Times } from '../contract/generated/control.types.d.ts'
import { timesInWords } from '../control/wait.ts'
import { plural } from '../text/plural.ts'
import { printable } from '../text/printable.ts'
import { shorten } from '../text/shorten.ts'
import { analyseBackoff } from '../views/report/backoff.ts'
import { keyText, requestLine } from '../views/request-line.ts'
import { FINDING_KINDS, type FindingKind, findingCount } from '../world/traffic/findings.ts'
import { countIn } from '../world/traffic/report.ts'

/** The matchers, with the parameters for tests. */
export interface SandboxMatchers {
  /** The world has received `times` matching requests (by default at least one), or receives them in time (`waiting`). */
  toHaveReceived: (match: RequestMatch, times?: Times, waiting?: Waiting) => Promise<void>
  /** A client that was refused with Retry-After (429 or 503) waited, and its pauses did not shrink. */
  toHaveBackedOff: () => Promise<void>
  /** The requests of the world have no findings of these kinds; by default of any kind. */
  toHaveNoFindings: (...kinds: FindingKind[]) => Promise<void>
}

type MatcherContext = { readonly isNot?: boolean }

/** For `expect.extend` of Vitest, Jest and Playwright, which accept the same objects. */
export const matchers = {
  async toHaveReceived(
    this: MatcherContext,
    value: unknown,
    match: RequestMatch,
    times: Times = { atLeast: 1 },
    ...waiting: [waiting?: Waiting]
  ) {
    const world = asWorld(value, 'toHaveReceived')
    const refusal = await refusalOf(world.verify(match, times, ...waiting))
    // If entries are gone, neither the expectation nor its negation can be decided.
    if (refusal && this.isNot && 'uncertain' in refusal.body) throw refusal
    if (refusal) return judged(world, false, refusal.body.message + nearestOf(refusal))
    const found = this.isNot ? await refusalOf(world.verify(match, { exactly: 0 })) : undefined
    // The best matches come first.
    const matching = found?.body.nearest?.slice(0, found.body.actual)
    const received = matching ? ` of these:${linesOf(matching)}` : ', but no request matches'
    return judged(world, true, `expected not ${timesInWords(times)}${received}`)
  },

  async toHaveBackedOff(this: MatcherContext, received: unknown) {
    const world = asWorld(received, 'toHaveBackedOff')
    const keys = await world.keys.list()
    const clients = (await Promise.all(keys.map(({ key }) => world.requests({ key })))).map(analyseBackoff)
    const early = clients
      .flatMap((backoff) => backoff.early)
      .map(({ entry, why }) => `\n  ${requestLine(entry)} (${keyText(entry)}): ${why}`)
    const none =
      early.length > 0 ? undefined : await refusalOf(world.verify({ finding: 'early-retry' }, { exactly: 0 }))
    // If entries are gone, neither the expectation nor its negation can be decided.
    if (none && 'uncertain' in none.body) return judged(world, this.isNot === true, none.body.message)
    const refusals = clients.reduce((sum, backoff) => sum + backoff.refusals, 0)
    const never = 'no request was refused with Retry-After, so there was no wait to check'
    // A client that was never refused satisfies neither the expectation nor its negation.
    if (refusals === 0) return judged(world, this.isNot === true, never)
    if (early.length > 0) return judged(world, false, `the client did not back off:${early.join('')}`)
    const waited = `it received Retry-After ${plural(refusals, 'time')} and waited`
    return judged(world, true, `expected the client not to back off, but ${waited}`)
  },

  async toHaveNoFindings(this: MatcherContext, received: unknown, ...kinds: FindingKind[]) {
    const world = asWorld(received, 'toHaveNoFindings')
    const unknown = kinds.find((kind) => !FINDING_KINDS.includes(kind))
    if (unknown !== undefined)
      throw new TypeError(`"${unknown}" is not a kind of finding; use ${FINDING_KINDS.join(', ')}`)
    const report = await world.report()
    const found = (kinds.length > 0 ? kinds : FINDING_KINDS).filter((kind) => countIn(report, kind) > 0)
    const counts = found.map((kind) => findingCount(kind, countIn(report, kind))).join(', ')
    const requests = (await world.requests())
      .filter(({ findings }) => findings.some(({ kind }) => found.includes(kind)))
      .slice(0, MAX_REQUESTS)
      .map((entry) => `\n  ${requestLine(entry)} (${keyText(entry)})`)
    if (found.length > 0) return judged(world, false, `found ${counts}${requests.join('')}`)
    return judged(world, true, `expected ${kinds.join(', ') || 'some findings'}, but nothing was found`)
  },
}

function asWorld(value: unknown, matcher: string): WorldHandle {
  const world: WorldHandle = Object(value)
  if (typeof world.verify === 'function' && typeof world.name === 'string') return world
  throw new TypeError(`${matcher} is about a world: expect(sandbox) or expect(sandbox.namespace('worker-1'))`)
}

const judged = ({ name }: WorldHandle, pass: boolean, why: string) => ({
  pass,
  message: () => `In the namespace ${name}: ${why}`,
})

/** The error of a failed expectation; undefined if it holds. */
async function refusalOf(verified: Promise<unknown>): Promise<ControlError | undefined> {
  const error: ControlError | undefined = await verified.then(() => undefined).catch((thrown) => thrown)
  // By name: the entries of the package have classes of their own.
  if (error === undefined || (error.name === 'ControlError' && error.status === 409)) return error
  throw error
}

const MAX_REQUESTS = 20

/** The longest body in a message, in characters. */
const MAX_BODY = 200

function nearestOf({ body: { nearest = [] } }: ControlError): string {
  return nearest.length === 0 ? '\nno request was received' : `\nthe nearest requests:${linesOf(nearest)}`
}

const linesOf = (entries: readonly JournalEntry[]): string =>
  entries
    .map((entry) =>
      // Clients choose the body: a line break or an escape sequence in it must not reach the terminal.
      `\n  ${requestLine(entry)} (${keyText(entry)}) ${shorten(printable(entry.request.body), MAX_BODY)}`.trimEnd(),
    )
    .join('')
