import { inThousands } from './in-thousands.ts'

/** `1 pet`, `1,234 pets`. `several`: an irregular plural. */
export const plural = (count: number | bigint, one: string, several = `${one}s`): string =>
  `${inThousands(count)} ${Number(count) === 1 ? one : several}`
