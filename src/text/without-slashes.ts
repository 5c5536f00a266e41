/** An address without trailing slashes. */
export const withoutSlashes = (address: string): string => address.replace(/(?<!\/)\/+$/, '')
