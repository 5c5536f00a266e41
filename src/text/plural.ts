/** `1 pet`, `2 pets`; `several`: where it is not `one` with an s. */
export const plural = (count: number | bigint, one: string, several = `${one}s`): string =>
  `${count} ${Number(count) === 1 ? one : several}`
