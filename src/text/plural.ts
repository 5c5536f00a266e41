/** `1 pet`, `2 pets`. `several`: an irregular plural. */
export const plural = (count: number | bigint, one: string, several = `${one}s`): string =>
  `${count} ${Number(count) === 1 ? one : several}`
