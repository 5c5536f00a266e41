let zlib: typeof import('node:zlib') | undefined

/** CRC-32 of some data, or of what it continues. Its module is loaded with the first one, since an import delays each start. */
export function crc32(data: string | Uint8Array, before?: number): number {
  zlib ??= process.getBuiltinModule('node:zlib')
  return zlib.crc32(data, before)
}
