/** A status for people; `none` if the client received none. */
export const statusWord = (status: number | string): string =>
  Number(status) === 0 ? 'none' : String(status)
