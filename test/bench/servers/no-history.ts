import { History as ActualHistory, RequestPoint } from '../../../src/world/history.ts'
import type { Exchange } from '../../../src/world/traffic/exchange.ts'

const NO_POINT = new RequestPoint({} as Exchange, { at: 0, real: 0 }, 0)

/** Keeps nothing of what happens. */
export class History extends ActualHistory {
  override log(): void {}
  override control(): void {}
  override amend(): void {}

  override request(): RequestPoint {
    return NO_POINT
  }

  override takeBytes(): number {
    return 0
  }
}
