/** `1,234`. */
export function inThousands(count: number): string {
  // toLocaleString would load the data of all locales, which takes longer than the rest of the start.
  const digits = String(count)
  const first = digits.length % 3 || 3
  const groups = [digits.slice(0, first)]
  for (let i = first; i < digits.length; i += 3) groups.push(digits.slice(i, i + 3))
  return groups.join(',')
}

/** `1,024 MiB`, rounded. */
export const inMiB = (bytes: number): string => `${inThousands(Math.round(bytes / 1024 / 1024))} MiB`
