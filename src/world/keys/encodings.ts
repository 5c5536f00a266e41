/** A text with some layers of encoding removed. */
export interface Layer {
  readonly text: string
  /** The index in the original text of a character of `text`. */
  readonly at: (index: number) => number
  /** The index of the next quote that was not encoded. It ends the JSON text that contains `index`. */
  readonly endOf?: (index: number) => number
}

/** An ASCII character that is percent-encoded, escaped as in JSON, or in UTF-16. */
const ENCODED = /%([0-7][0-9A-Fa-f])|\\u00([0-7][0-9A-Fa-f])|\\(["\\/])|([\t\r\n -~])\0/g

/** The limit of encodings around a character. */
const MAX_LAYERS = 4

/** Whether a text may have encoded characters; most have none. */
export const mayBeEncoded = (text: string): boolean => /[%\\\0]/.test(text)

/** The text itself, then the result of each further decoding. */
export function layersOf(text: string): Layer[] {
  const layers: Layer[] = [{ text, at: (index) => index }]
  for (const { text, at } of layers) {
    const next = layers.length <= MAX_LAYERS && mayBeEncoded(text) ? decoded(text) : undefined
    if (next) layers.push({ ...next, at: (index) => at(next.at(index)) })
  }
  return layers
}

function decoded(text: string): Layer | undefined {
  /** The index after each decoded character, and by how many characters the decoded text is shorter up to there. */
  const ends: number[] = []
  const fewer: number[] = []
  const parts: string[] = []
  let [last, length, less] = [0, 0, 0]
  for (const { 0: whole, 1: percent, 2: escaped, 3: quoted, 4: wide, index } of text.matchAll(ENCODED)) {
    const character = quoted ?? wide ?? String.fromCharCode(Number.parseInt(percent ?? escaped ?? '', 16))
    parts.push(text.slice(last, index), character)
    length += index - last + 1
    last = index + whole.length
    less += whole.length - 1
    ends.push(length)
    fewer.push(less)
  }
  if (last === 0) return undefined
  const result = parts.join('') + text.slice(last)
  const at = (index: number) => index + (fewer[lastUpTo(ends, index)] ?? 0)
  // The last result, and the first index for which it holds: the same part is not read again for each name in it.
  let [from, end] = [0, -1]
  function endOf(index: number): number {
    if (index >= from && index <= end) return end
    for (end = index; end < result.length; end++) if (result[end] === '"' && text[at(end)] === '"') break
    from = index
    return end
  }
  return { text: result, at, endOf }
}

/** The index of the last number that is at most `most`; -1 if there is none. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) <= most) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** An ASCII character, encoded in the same way as `encoded`. */
export function encodedLike(encoded: string, character: string): string {
  if (encoded.length === 1) return character
  const made = encoded.endsWith('\0')
    ? `${character}\0`
    : encoded.slice(0, -2) + character.charCodeAt(0).toString(16).padStart(2, '0')
  // In `%%37%30` the digits are encoded too.
  return layersOf(made).at(-1)?.text === character ? made : character
}

/** A shorter run of Base64 cannot contain a secret. */
const SHORTEST_BASE64 = 16

/** By character code: whether the character belongs to the Base64 alphabet. */
const IS_BASE64 = new Uint8Array(0x10000)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')
  IS_BASE64[character.charCodeAt(0)] = 1

/** Finds runs of a text that may be Base64. It tests the last character of each possible run first, to skip most others. */
export function base64In(text: string): readonly { readonly run: string; readonly start: number }[] {
  const found: { readonly run: string; readonly start: number }[] = []
  for (let start = 0; start + SHORTEST_BASE64 <= text.length; ) {
    let other = start + SHORTEST_BASE64 - 1
    while (other >= start && IS_BASE64[text.charCodeAt(other)] === 1) other--
    if (other < start) {
      other = start + SHORTEST_BASE64
      while (other < text.length && IS_BASE64[text.charCodeAt(other)] === 1) other++
      found.push({ run: text.slice(start, other), start })
    }
    start = other + 1
  }
  return found
}

/** The decoded bytes, one character each. */
export const decodeBase64 = (text: string): string =>
  atob(
    text
      .slice(0, text.length - (text.length % 4 === 1 ? 1 : 0))
      .replaceAll('-', '+')
      .replaceAll('_', '/'),
  )

/** Encodes in the alphabet of `like`; if that is longer, the result ends with its last characters. */
export function encodeBase64(bytes: string, like: string): string {
  const made = btoa(bytes).replace(/={1,2}$/, '')
  return (/[-_]/.test(like) ? made.replaceAll('+', '-').replaceAll('/', '_') : made) + like.slice(made.length)
}
