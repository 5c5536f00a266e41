import type { Failure, Outcome, Verdict } from '../../domain/verdict.ts'
import type { Check, Context, JudgeResponse } from './check.ts'
import { type Conversation, Skipped } from './conversation.ts'
import { NoAnswer } from './service.ts'
import { clean, shown } from './words.ts'

/** What every check of a run is given. */
export interface Run {
  readonly conversation: Conversation
  readonly baseUrl: string
  readonly mark: number
  readonly judge: JudgeResponse
}

/** How many failures of one check are told; a header that is missing is missing on every answer. */
const MOST_FAILURES = 20

/** Carries out one check. Rejects only with what no service can bring about. */
export async function judgeCheck(check: Check, run: Run): Promise<Verdict> {
  const { id, section, title } = check
  const failures: Failure[] = []
  const observations: string[] = []
  const began = performance.now()
  const reason = await skippedBecause(check, contextOf(run, failures, observations), failures)
  return {
    id,
    section,
    title,
    outcome: outcomeOf(check, failures, reason),
    ...(reason !== undefined && failures.length === 0 && { reason }),
    failures: failures.slice(0, MOST_FAILURES),
    moreFailures: Math.max(0, failures.length - MOST_FAILURES),
    observations,
    ms: Math.round(performance.now() - began),
  }
}

/** A check that is not carried out. */
export const skip = ({ id, section, title }: Check, reason: string): Verdict => ({
  id,
  section,
  title,
  outcome: 'skipped',
  reason,
  failures: [],
  moreFailures: 0,
  observations: [],
  ms: 0,
})

async function skippedBecause(
  check: Check,
  context: Context,
  failures: Failure[],
): Promise<string | undefined> {
  try {
    await check.run(context)
    return undefined
  } catch (error) {
    if (error instanceof Skipped) return error.message
    if (!(error instanceof NoAnswer)) throw error
    failures.push({ request: error.request, came: error.message, expected: 'an answer' })
    return undefined
  }
}

function outcomeOf({ observes }: Check, failures: readonly Failure[], reason: string | undefined): Outcome {
  if (failures.length > 0) return 'failed'
  if (reason !== undefined) return 'skipped'
  return observes ? 'observed' : 'held'
}

function contextOf(
  { conversation, baseUrl, mark, judge }: Run,
  failures: Failure[],
  observations: string[],
): Context {
  return {
    ...conversation,
    baseUrl,
    mark,
    judge,
    expect(holds, answer, expected, given = shown(answer)) {
      const { request } = answer
      const came = clean(given, answer)
      const isKnown = failures.some((failure) => failure.request === request && failure.came === came)
      if (!holds && !isKnown) failures.push({ request, came, expected })
      return holds
    },
    seen: (what) => void observations.push(`not shown in the interface; seen: ${what}`),
    note: (what) => void observations.push(what),
    skip(reason) {
      throw new Skipped(reason)
    },
  }
}
