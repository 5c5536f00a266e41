import { CONTROL_PATH, withoutOrigin } from '../world/traffic/address.ts'

const SEED_LIMIT = 16 * 1024 * 1024
const OTHER_LIMIT = 256 * 1024

const SEED_TARGET = new RegExp(`^${CONTROL_PATH}/seed(?:[?]|$)`)

/** The largest body of a call in bytes. Only a seed may be long, because it contains pets. */
export const controlBodyLimit = (target: string): number =>
  SEED_TARGET.test(withoutOrigin(target)) ? SEED_LIMIT : OTHER_LIMIT
