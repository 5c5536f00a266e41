import { readFile } from 'node:fs/promises'
import type { Settings } from '../config/options.ts'
import { at } from '../config/usage-error.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import { OverlayError } from '../contract/openapi/document.ts'
import type { Overlay } from '../contract/openapi/overlay.ts'
import { FixtureError, sentence } from '../fixtures/fixture-error.ts'
import type { Certificate } from '../node/files/certificate.ts'
import { loadFixture } from '../node/files/load.ts'
import { notText } from '../node/files/not-text.ts'
import { fileReason } from '../text/error.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
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

async function readOverlay(name: string): Promise<Overlay> {
  const bytes = await readFile(name).catch((error: unknown) => {
    throw new OverlayError(`The overlay ${name} cannot be used: ${fileReason(error)}`)
  })
  const fault = notText(bytes, 'this is not UTF-8 text')
  if (fault) throw new OverlayError(`The overlay ${name} cannot be used: line ${fault.line}: ${fault.reason}`)
  return { name, text: bytes.toString() }
}

/** If the default fixture does not fit the overlay, the sandbox starts without pets; a named fixture has to fit. */
export async function loadStartFixture(
  { fixture, overlay }: Settings,
  { petShape }: Contract,
  notify: (notice: string) => void,
): Promise<CompleteFixture> {
  try {
    return await loadFixture(fixture ?? 'default', petShape)
  } catch (error) {
    if (!(error instanceof FixtureError) || fixture !== undefined || overlay.length === 0) throw error
    const [problem] = error.problems
    notify(
      `The sandbox starts without pets: the default fixture does not fit the overlay (${problem && sentence(problem)}). Name another fixture with --fixture, or seed pets.`,
    )
    return { pets: [], nextId: 1, keys: [] }
  }
}

/** The certificate for HTTPS; undefined without one. Throws a UsageError if certificate and key are not a valid pair. */
export async function certificateOf({ tls, listen }: Settings): Promise<Certificate | undefined> {
  if (!tls || !listen) return undefined
  const { readCertificate } = await import('../node/files/certificate.ts')
  return at('--cert and --key', () => readCertificate(tls, Date.now()))
}
