/**
 * Whether a part of the machine that some tests need is there. Where it is not, says which tests are skipped;
 * in CI every part must be there.
 */
export function hasPart(isThere: boolean, part: string, tests: string): boolean {
  if (isThere) return true
  const needed = `${tests} need ${part}`
  if (process.env.CI) throw new Error(`${needed}; .ci/run installs it.`)
  console.warn(`Skipped: ${needed}.`)
  return false
}
