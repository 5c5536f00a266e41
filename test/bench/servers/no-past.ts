import { Past as ActualPast } from '../../../src/world/past.ts'

/** Keeps the journal, and no command of which a state could be made again. */
export class Past extends ActualPast {
  override begin(): void {}
}
