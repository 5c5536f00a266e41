/** An integer as `1,234`. */
export function inThousands(count: number | bigint): string {
  // toLocaleString would load the data of all locales, which takes longer than the rest of the start.
  let text = String(count)
  for (let at = text.length - 3; /\d/.test(text[at - 1] ?? ''); at -= 3)
    text = `${text.slice(0, at)},${text.slice(at)}`
  return text
}

/** The number that stands for no limit: the largest int32, which every client can read. */
export const UNLIMITED = 2147483647

/** `1,024`, or `unlimited`. */
export const amount = (count: number): string => (count === UNLIMITED ? 'unlimited' : inThousands(count))

/** `1,024 MiB`, rounded. */
export const inMiB = (bytes: number): string => `${inThousands(Math.round(bytes / 1024 / 1024))} MiB`
