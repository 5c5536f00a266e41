import type { Contract } from '../contract/openapi/contract.ts'
import { readOverlay } from '../node/files/read-overlay.ts'
import { contractWith } from './start.ts'

/**
 * The contract of the Animal Store, with the overlays in these files applied in their order. `recorded`: the overlay
 * of a recording, instead of files. Rejects with an OverlayError.
 */
export async function loadContract(
  files: readonly string[] = [],
  notify: (notice: string) => void = () => {},
  recorded?: string,
): Promise<Contract> {
  const overlays =
    recorded === undefined
      ? await Promise.all(files.map(readOverlay))
      : [{ name: 'of the recording', text: recorded, isForeign: true as const }]
  return contractWith(overlays, notify)
}
