/** `1,234`. */
// toLocaleString would load the data of all locales, which takes longer than the rest of the start.
export const inThousands = (count: number | bigint): string =>
  String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** `1,024 MiB`, rounded. */
export const inMiB = (bytes: number): string => `${inThousands(Math.round(bytes / 1024 / 1024))} MiB`
