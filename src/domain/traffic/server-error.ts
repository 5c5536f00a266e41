/** A 501 says that there is no such operation, which is true and no failure. */
export const isServerError = (status: number): boolean => status >= 500 && status !== 501
