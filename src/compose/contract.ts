import { animalStoreContract } from '../contract/animal-store.ts'
import type { Contract } from '../openapi/contract.ts'

/** The contract of the Animal Store, with an overlay laid over it where one is given. Rejects with an OverlayError. */
export async function loadContract(
  overlay: string | undefined,
  notify: (notice: string) => void = () => {},
): Promise<Contract> {
  const contract = animalStoreContract()
  if (overlay === undefined) return contract
  const { overlaidContract } = await import('../openapi/overlay.ts')
  return overlaidContract(contract, overlay, notify)
}
