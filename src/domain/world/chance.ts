/**
 * A repeatable stream of chance: the same seed and name give the same numbers, in [0, 1).
 * (mulberry32 over an FNV-1a hash; nobody's secrets depend on it.)
 */
export function chance(seed: number, name: string): () => number {
  let state = hash(`${seed}/${name}`)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value
}
