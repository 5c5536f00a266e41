/** Percent-encodes every character, also those that need not be encoded. */
export const everyCharacter = (text: string): string =>
  text.replaceAll(/./gs, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Whether a text contains the key: as it is, percent-encoded, escaped as in JSON, or in Base64, up to five times. */
export function hasKey(text: string, key: string): boolean {
  const views = [text]
  for (const view of views.slice()) {
    for (const word of view.match(/[A-Za-z0-9+/_-]{8,}/g) ?? [])
      for (let i = 0; i < 4; i++) views.push(Buffer.from(word.slice(i), 'base64').toString('latin1'))
  }
  for (let i = 0; i < 5; i++)
    views.push(
      (views.at(i === 0 ? 0 : -1) as string)
        .replaceAll(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replaceAll(/\\u00([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replaceAll(/\\(["\\])/g, '$1'),
    )
  return views.some((view) => view.replaceAll('\0', '').toLowerCase().includes(key.toLowerCase()))
}
