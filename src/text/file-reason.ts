const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
}

/** Why a file cannot be used: a sentence for a wrong path, else the message of the runtime. */
export function fileReason(error: unknown): string {
  const { code = '' } = Object(error) as { readonly code?: string }
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}
