import { animalStoreContract } from '../contract/animal-store.ts'
import type { Contract } from '../contract/openapi/contract.ts'

/**
 * The contract of the Animal Store, with an overlay laid over it where one is given. `text`:
 * what the overlay holds, where that is known. Rejects with an OverlayError.
 */
export async function loadContract(
  overlay: string | undefined,
  notify: (notice: string) => void = () => {},
  text?: string,
): Promise<Contract> {
  const contract = animalStoreContract()
  if (overlay === undefined && text === undefined) return contract
  const { overlaidContract } = await import('../contract/openapi/overlay.ts')
  return overlaidContract(contract, overlay ?? 'of the recording', notify, text)
}
