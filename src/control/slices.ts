/** Work that grows with its input is done in slices; other requests are handled between them. */

/** The real one, whatever timers a test in this process may fake later. */
const { setImmediate } = globalThis

/** How long work may hold the loop, in milliseconds. */
const TURN = 5

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs steps to their end; the yielded values are ignored. */
export async function inSlices<T>(steps: Generator<unknown, T>): Promise<T> {
  let began = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() - began < TURN) continue
    await nextTurn()
    began = performance.now()
  }
}

/** A text in parts, made as its reader asks for them. */
export async function* textInSlices(parts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let began = performance.now()
  for await (const part of parts) {
    yield part
    if (performance.now() - began < TURN) continue
    await nextTurn()
    began = performance.now()
  }
}

const PART = 64 * 1024

/** The items of a list with commas between them, in parts of about 64 Ki characters. */
export function* joined<T>(items: Iterable<T>, write: (item: T) => string): Generator<string> {
  let text = ''
  let separator = ''
  for (const item of items) {
    text += separator + write(item)
    separator = ','
    if (text.length < PART) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
