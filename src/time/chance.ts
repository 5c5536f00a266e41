/** The initial state of a random number generator: the same seed and name give the same numbers. */
export const chanceOf = (seed: number, name: string): number => hash(`${seed}/${name}`)

/** The next state of a generator. */
export const nextChance = (state: number): number => (state + 0x6d2b79f5) | 0

/** The random number in [0, 1) of a state: mulberry32 over an FNV-1a hash; not for secrets. */
export function chanceAt(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** A random number generator of its own. */
export function chance(seed: number, name: string): () => number {
  let state = chanceOf(seed, name)
  return () => {
    state = nextChance(state)
    return chanceAt(state)
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value
}
