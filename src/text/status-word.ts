/** A status for people; `none` if the client received none. */
export const statusWord = (status: number | string): string =>
  Number(status) === 0 ? 'none' : String(status)

/** Whether a status is the wanted one, such as 404, or of the wanted class, such as `4xx`. */
export const isOfStatus = (status: number, wanted: number | string): boolean =>
  typeof wanted === 'number' ? status === wanted : wanted[0] === String(status)[0]
