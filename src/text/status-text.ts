import names from 'statuses/codes.json' with { type: 'json' }

/** The reason phrase of an HTTP status, such as `Not Found`; empty if there is none. */
export const statusText = (status: number): string =>
  (names as Readonly<Record<string, string>>)[status] ?? ''
