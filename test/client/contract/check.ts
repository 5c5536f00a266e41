import { type ContractOptions, checkContract as checkService } from '../../../src/client/contract/contract.ts'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import type { ContractReport, Outcome, Verdict } from '../../../src/domain/verdict.ts'
import { createJudge, type Judge } from '../../../src/prism/judge.ts'
import { KEY } from './faulty-service.ts'

const contract = animalStoreContract()
let judge: Promise<Judge> | undefined

/** The runner as the command composes it. Unless it is given, there is no time to sleep. */
export async function check(options: Pick<ContractOptions, 'baseUrl'> & Partial<ContractOptions>) {
  judge ??= createJudge(contract.document)
  const { judgeResponse } = await judge
  const sleep = () => Promise.reject(new Error('It waited'))
  return checkService({ key: KEY, contract, judge: judgeResponse, sleep, ...options })
}

export const EVERYTHING = { allowWrites: true, exhaustLimits: true } as const

/** The ids of the checks with this outcome. */
export const idsOf = ({ checks }: ContractReport, outcome: Outcome): string[] =>
  checks.filter((verdict) => verdict.outcome === outcome).map(({ id }) => id)

export function verdictOf({ checks }: ContractReport, id: string): Verdict {
  const verdict = checks.find((candidate) => candidate.id === id)
  if (!verdict) throw new Error(`There is no check ${id}`)
  return verdict
}
