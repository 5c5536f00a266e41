import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { newPetSamples } from '../../../src/contract/generate/generate-pets.ts'
import type { Contract } from '../../../src/contract/openapi/contract.ts'
import { type ContractValidator, createContractValidator } from '../../../src/prism/validator.ts'
import {
  type ConformanceOptions,
  runConformance as checkService,
} from '../../../src/tools/conformance/run.ts'
import type { CheckOutcome, CheckResult, ConformanceReport } from '../../../src/views/conformance.ts'
import { KEY } from './faulty-service.ts'

const ANIMAL_STORE = animalStoreContract()
const validators = new Map<Contract, Promise<ContractValidator>>()

/** Runs the checks like the command. Without `sleep` in the options, no wait is possible. */
export async function check(options: Pick<ConformanceOptions, 'baseUrl'> & Partial<ConformanceOptions>) {
  const { contract = ANIMAL_STORE } = options
  const validator = validators.get(contract) ?? createContractValidator(contract.document)
  validators.set(contract, validator)
  const { validateResponse: validate } = await validator
  const samples = await newPetSamples(contract.newPet)
  const sleep = () => Promise.reject(new Error('It waited'))
  const { signal } = new AbortController()
  return checkService({ key: KEY, contract, validate, samples, signal, sleep, ...options })
}

export const EVERYTHING = { allowWrites: true, exhaustLimits: true } as const

/** The ids of the checks with this outcome. */
export const idsOf = ({ checks }: ConformanceReport, outcome: CheckOutcome): string[] =>
  checks.filter((result) => result.outcome === outcome).map(({ id }) => id)

export function resultOf({ checks }: ConformanceReport, id: string): CheckResult {
  const result = checks.find((candidate) => candidate.id === id)
  if (!result) throw new Error(`There is no check ${id}`)
  return result
}
