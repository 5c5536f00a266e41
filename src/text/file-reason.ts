const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
}

/** Why a file cannot be used, from the error of the runtime: words for a wrong path, its own message for everything else. */
export function fileReason(error: unknown): string {
  const { code = '' } = Object(error) as { readonly code?: string }
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}
