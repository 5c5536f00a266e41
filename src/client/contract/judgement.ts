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

/** A check that has looked at nothing has not passed. */
const NOTHING_SEEN = 'no answer had what this check is about'

/** Carries out one check. Rejects only with what no service can bring about. */
export async function judgeCheck(check: Check, run: Run): Promise<Verdict> {
  const { id, section, title } = check
  const failures: Failure[] = []
  const observations: string[] = []
  let looks = 0
  const context = contextOf(run, failures, observations, () => looks++)
  const began = performance.now()
  const skipped = await skippedBecause(check, context, failures)
  const isVacuous = !check.observes && looks === 0 && observations.length === 0
  const reason = skipped ?? (isVacuous ? NOTHING_SEEN : undefined)
  return {
    id,
    section,
    title,
    outcome: outcomeOf(failures, reason, check.observes === true || looks === 0),
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

function outcomeOf(failures: readonly Failure[], reason: string | undefined, onlyObserved: boolean): Outcome {
  if (failures.length > 0) return 'failed'
  if (reason !== undefined) return 'skipped'
  return onlyObserved ? 'observed' : 'held'
}

function contextOf(
  { conversation, baseUrl, mark, judge }: Run,
  failures: Failure[],
  observations: string[],
  looked: () => void,
): Context {
  return {
    ...conversation,
    baseUrl,
    mark,
    judge(operationId, response) {
      looked()
      return judge(operationId, response)
    },
    looked,
    expect(holds, answer, expected, given = shown(answer)) {
      looked()
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
