/** Every path of the control API is relative to it. */
export const CONTROL_PATH = '/_sandbox'

/** The largest body that the control API takes, in bytes: a fixture of a million pets. */
export const CONTROL_BODY_LIMIT = 128 * 1024 * 1024

const TARGET = /^(?:https?:\/\/[^/?#]*)?\/_sandbox(?:[/?]|$)/

export const isControlTarget = (target: string): boolean => TARGET.test(target)
