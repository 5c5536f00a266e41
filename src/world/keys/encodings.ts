/** A text with some layers of encoding removed. */
export interface Layer {
  readonly text: string
  /** The position in the given text at which a character of it begins. */
  readonly at: (index: number) => number
}

/** An ASCII character that is percent-encoded, escaped as JSON has it, or in UTF-16. */
const ENCODED = /%([0-7][0-9A-Fa-f])|\\u00([0-7][0-9A-Fa-f])|\\(["\\/])|([\t\r\n -~])\0/g

/** How often a character may be encoded upon another encoding. */
const MOST_LAYERS = 4

/** Most texts need not be decoded. */
export const mayBeEncoded = (text: string): boolean => /[%\\\0]/.test(text)

/** The text itself, then what is left of it after each decoding. */
export function layersOf(text: string): Layer[] {
  const layers: Layer[] = [{ text, at: (index) => index }]
  for (const { text, at } of layers) {
    const next = layers.length <= MOST_LAYERS && mayBeEncoded(text) ? decoded(text) : undefined
    if (next) layers.push({ text: next.text, at: (index) => at(next.at(index)) })
  }
  return layers
}

function decoded(text: string): Layer | undefined {
  /** Behind each decoded character: its index, and how many characters fewer there are up to there. */
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
  parts.push(text.slice(last))
  return { text: parts.join(''), at: (index) => index + (fewer[lastUpTo(ends, index)] ?? 0) }
}

/** The index of the last number that is not greater; -1 where all are. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) <= most) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** An ASCII character, encoded as another one is. */
export function encodedLike(encoded: string, character: string): string {
  if (encoded.length === 1) return character
  const made = encoded.endsWith('\0')
    ? `${character}\0`
    : encoded.slice(0, -2) + character.charCodeAt(0).toString(16).padStart(2, '0')
  // In `%%37%30` digits are encoded, too.
  return layersOf(made).at(-1)?.text === character ? made : character
}

/** A shorter one has no secret in it. */
const SHORTEST_BASE64 = 16

/** By the code of a character: whether Base64 has it. */
const IS_BASE64 = new Uint8Array(0x10000)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')
  IS_BASE64[character.charCodeAt(0)] = 1

/** Finds parts of a text that may be Base64. It looks at the end of each word first, so that most characters need no look. */
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

/** Bytes as characters. */
export const decodeBase64 = (text: string): string =>
  atob(
    text
      .slice(0, text.length - (text.length % 4 === 1 ? 1 : 0))
      .replaceAll('-', '+')
      .replaceAll('_', '/'),
  )

/** In the alphabet of the text `like`, whose end it takes where it is longer. */
export function encodeBase64(bytes: string, like: string): string {
  const made = btoa(bytes).replace(/={1,2}$/, '')
  return (/[-_]/.test(like) ? made.replaceAll('+', '-').replaceAll('/', '_') : made) + like.slice(made.length)
}
