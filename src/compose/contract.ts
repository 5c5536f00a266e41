import { animalStoreContract } from '../contract/animal-store.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import { readOverlay } from '../node/files/read-overlay.ts'

/**
 * The contract of the Animal Store, with the overlays in these files applied in their order. `recorded`: the overlay
 * of a recording, instead of files. Rejects with an OverlayError.
 */
export async function loadContract(
  files: readonly string[] = [],
  notify: (notice: string) => void = () => {},
  recorded?: string,
): Promise<Contract> {
  const contract = animalStoreContract()
  if (files.length === 0 && recorded === undefined) return contract
  const { overlaidContract } = await import('../contract/openapi/overlay.ts')
  const overlays =
    recorded === undefined
      ? await Promise.all(files.map(readOverlay))
      : [{ name: 'of the recording', text: recorded, isForeign: true as const }]
  return overlaidContract(contract, overlays, notify)
}
