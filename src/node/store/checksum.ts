let zlib: typeof import('node:zlib') | undefined

/** The CRC-32 of some data; `before`: that of earlier data. Its module is loaded late: an import delays each start. */
export function crc32(data: string | Uint8Array, before?: number): number {
  zlib ??= process.getBuiltinModule('node:zlib')
  return zlib.crc32(data, before)
}
