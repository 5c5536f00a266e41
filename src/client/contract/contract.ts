import { setTimeout } from 'node:timers/promises'
import type { Contract } from '../../contract/contract.ts'
import { iso } from '../../domain/instant.ts'
import { type ContractReport, OUTCOMES, type Verdict } from '../../domain/verdict.ts'
import { withoutSlashes } from '../slashes.ts'
import type { Check, JudgeResponse } from './check.ts'
import { CHECKS } from './checks.ts'
import { LIST_ANSWERS } from './connection.ts'
import { createConversation, type Pace } from './conversation.ts'
import { judgeCheck, type Run, skip } from './judgement.ts'
import { createService, type Fetch, NoAnswer } from './service.ts'

export { NoAnswer }

export interface ContractOptions extends Partial<Pace> {
  /** Where the service is; it should end in /v1. */
  readonly baseUrl: string
  readonly key: string
  readonly contract: Contract
  /** Holds a response against that contract. */
  readonly judge: JudgeResponse
  /** Whether requests may be sent that add animals, or could on a faulty service. */
  readonly allowWrites?: boolean
  /** Whether the quota of the key may be used up. */
  readonly exhaustLimits?: boolean
  readonly fetch?: Fetch
  /** Called with each verdict as it comes. */
  readonly onVerdict?: (verdict: Verdict) => void
}

/**
 * Holds a running service against the interface: a few dozen requests, one after the other, no more often than
 * it allows. Rejects with a NoAnswer where the very first gets no answer.
 */
export async function checkContract(options: ContractOptions): Promise<ContractReport> {
  const { judge, onVerdict = () => {}, sleep = setTimeout, onWait = () => {} } = options
  const baseUrl = withoutSlashes(options.baseUrl)
  const at = iso(Date.now())
  const service = createService({ ...options, baseUrl, fetch: options.fetch ?? fetch })
  const conversation = createConversation(service, { sleep, onWait })
  const run: Run = { conversation, baseUrl, judge, mark: 7e8 + Math.floor(Math.random() * 1e8) }
  const checks: Verdict[] = []
  for (const check of CHECKS) {
    const reason = notAllowed(check, options)
    const verdict = reason ? skip(check, reason) : await judgeCheck(check, run)
    if (conversation.history.length === 0) refuseSilence(verdict)
    checks.push(verdict)
    onVerdict(verdict)
  }
  const count = (outcome: Verdict['outcome']) => checks.filter((check) => check.outcome === outcome).length
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)]))
  const { length: requests } = conversation.history
  const unchecked = checks.find(({ id }) => id === LIST_ANSWERS)?.reason ?? null
  return { baseUrl, at, requests, counts: counts as ContractReport['counts'], checks, unchecked }
}

function notAllowed({ writes, exhausts }: Check, options: ContractOptions): string | undefined {
  if (writes && !options.allowWrites) return 'it writes; --allow-writes'
  return exhausts && !options.exhaustLimits ? 'it uses up the quota of the key; --exhaust-limits' : undefined
}

function refuseSilence({ failures: [failure] }: Verdict): void {
  if (failure) throw new NoAnswer(failure.request, failure.came)
}
