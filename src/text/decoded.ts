/** Decodes percent-encoded text; a text that cannot be decoded is returned unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
