/**
 * Whether a program that some tests need is installed. If not, prints which tests are skipped; in CI it must be
 * installed.
 */
export function hasPart(isThere: boolean, part: string, tests: string): boolean {
  if (isThere) return true
  const needed = `${tests} need ${part}`
  if (process.env.CI) throw new Error(`${needed}; .ci/run installs it.`)
  console.warn(`Skipped: ${needed}.`)
  return false
}
