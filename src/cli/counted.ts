/** `1 pet`, `2 pets`. */
export const counted = (count: number | bigint, what: string): string =>
  `${count} ${what}${Number(count) === 1 ? '' : 's'}`
