import type { Settings } from '../config/options.ts'
import { UsageError } from '../config/usage-error.ts'
import { animalStoreContract } from '../contract/animal-store.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import type { Overlay } from '../contract/openapi/overlay.ts'
import { checkKeys } from '../fixtures/keys.ts'
import type { Start } from '../world/parts.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'

/** The initial state of every namespace. Throws a UsageError for invalid faults or keys, or an unknown status. */
export async function startOf(
  settings: Settings,
  fixture: CompleteFixture,
  contract: Contract,
  warn: (warning: string) => void,
) {
  const { seed, now, freeze: frozen } = settings
  const { pets, nextId, keys } = fixture
  checkCreation(contract, settings.policy.create.status, warn)
  const own = await faultsAndKeysOf(settings, contract)
  return { pets: { pets, nextId }, keys, seed, now, frozen, ...own } satisfies Start
}

/** Warns if no client can create a pet: it must have what Pet requires, and a client sends no field that is read-only. */
function checkCreation(
  { petShape: { required, statuses }, newPet }: Contract,
  status: string,
  warn: (warning: string) => void,
): void {
  if (statuses && !['absent', ...statuses].includes(status)) {
    const choices = ['absent', ...statuses].join(' | ')
    throw new UsageError(`Decisions: create.status cannot be "${status}". Choices: ${choices}`)
  }
  const { properties = {} } = newPet.schema
  const missing = required.find((name) => properties[name]?.readOnly ?? !properties[name])
  if (missing === undefined) return
  warn(
    `createPet refuses every pet: Pet requires ${missing}, which a client cannot send. Declare it in NewPet without readOnly, or do not require it.`,
  )
}

/** The faults and keys of the options. Their validators are loaded only if needed. Throws a UsageError. */
async function faultsAndKeysOf({ faults, keys }: Settings, contract: Contract) {
  if (faults.length === 0 && keys.length === 0) return {}
  const [{ checkFaults }, { controlContract }] = await Promise.all([
    import('../control/faults.ts'),
    import('../contract/control.ts'),
  ])
  const known = { knownOperations: [...contract.operations.keys()] }
  try {
    return { faults: checkFaults(faults, controlContract(), known), givenKeys: checkKeys(keys) }
  } catch (error) {
    if (error instanceof RangeError) throw Object.assign(new UsageError(error.message), { cause: error })
    throw error
  }
}

/** The contract of the Animal Store, with overlays applied in their order. Rejects with an OverlayError. */
export async function contractWith(
  overlays: readonly Overlay[],
  warn: (warning: string) => void,
): Promise<Contract> {
  const contract = animalStoreContract()
  if (overlays.length === 0) return contract
  const { overlaidContract } = await import('../contract/openapi/overlay.ts')
  return overlaidContract(contract, overlays, warn)
}
