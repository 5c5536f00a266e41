/** Every path of the control API is relative to it. */
export const CONTROL_PATH = '/_sandbox'

const SEED_LIMIT = 16 * 1024 * 1024
const OTHER_LIMIT = 256 * 1024

const TARGET = /^(?:https?:\/\/[^/?#]*)?\/_sandbox(?:[/?]|$)/
const SEED_TARGET = /^(?:https?:\/\/[^/?#]*)?\/_sandbox\/seed(?:\?|$)/

export const isControlTarget = (target: string): boolean => TARGET.test(target)

/** The largest body that a call of the control API takes, in bytes; only a seed contains pets. */
export const controlBodyLimit = (target: string): number =>
  SEED_TARGET.test(target) ? SEED_LIMIT : OTHER_LIMIT
