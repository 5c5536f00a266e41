import type { Settings } from '../config/options.ts'
import type { Contract } from '../contract/openapi/contract.ts'
import type { RecordShape } from '../contract/openapi/record-shape.ts'
import { FixtureError, sentence } from '../fixtures/fixture-error.ts'
import { loadFixture } from '../node/files/load.ts'
import { readOverlay } from '../node/files/read-overlay.ts'
import type { CompleteFixture } from '../world/pets/fixture.ts'
import { contractWith } from './start.ts'

/** The initial state of a replay, in place of a fixture, the data file and the present time. */
export interface ReplayedState {
  readonly fixture: CompleteFixture
  /** Real time, in milliseconds since the epoch. */
  readonly at: number
  readonly clock: () => number
  /** The address that documents show. */
  readonly origin: string
  /** The text of an overlay. */
  readonly overlay: string | undefined
}

/** The parts that are loaded before a sandbox has a state: its contract, and the content of a new namespace. */
export interface InitialState {
  readonly contract: Contract
  readonly fixture: CompleteFixture
}

/** Rejects with an OverlayError or a FixtureError. */
export async function loadInitialState(
  settings: Settings,
  notify: (notice: string) => void,
  replayed?: ReplayedState,
): Promise<InitialState> {
  const contract = await loadContract(settings.overlay, notify, replayed?.overlay)
  const fixture = replayed?.fixture ?? (await loadStartFixture(settings, contract.petShape, notify))
  return { contract, fixture }
}

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

/** If the default fixture does not fit the overlay, the sandbox starts without pets; a named fixture has to fit. */
async function loadStartFixture(
  { fixture, overlay }: Settings,
  petShape: RecordShape,
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
