/** A status for people: `none` where the client got none. */
export const statusWord = (status: number | string): string =>
  Number(status) === 0 ? 'none' : String(status)
