import { mayRepeatName } from '../../contract/openapi/json.ts'
import type { Pet } from '../../world/pets/pet.ts'
import { exactly } from './parse.ts'
import type { PetReader } from './pet-reader.ts'
import type { PetsOf } from './shape.ts'

/** The characters parsed at a time: as fast as one JSON.parse of everything, with less memory. */
const PIECE = 64 * 1024
/** The placeholder of a run of pets in the frame. */
const MARK = '\0'
const ESCAPED_MARK = '\\u0000'
const START = /"pets"\s*:\s*\[[ \t]*\n/
const PET_END = '},\n'

/**
 * Parses a data file while it is read: runs of pets, one pet per line, are parsed at once, and the rest (the frame) at
 * the end. A JSON string cannot contain a line break, so lines never end within a string. Throws a SyntaxError or a
 * ValidationError for other layouts, which may still be valid.
 */
export class Pieces {
  frame = ''
  readonly #reader: PetReader
  readonly #runs: Pet[][] = []
  #run: Pet[] | undefined
  /** The incomplete last pet of the current run. */
  #rest = ''

  readonly #isStrict: boolean

  /** `isStrict`: pets with repeated names are refused. */
  constructor(reader: PetReader, isStrict = false) {
    this.#reader = reader
    this.#isStrict = isStrict
  }

  /** Takes the next complete lines. */
  take(lines: string): void {
    let text = this.frame === '' ? lines.replace(/^\uFEFF/, '') : lines
    while (text !== '') text = this.#run ? this.#within(this.#run, text) : this.#outside(text)
  }

  /** The pets of a run for its placeholder; any other value is validated. */
  readonly petsOf: PetsOf = (value, path) => {
    const mark = typeof value === 'string' && value.startsWith(MARK)
    return (
      (mark ? this.#runs[Number(value.slice(MARK.length))] : undefined) ?? this.#reader.petsOf(value, path)
    )
  }

  #outside(text: string): string {
    if (text.includes(ESCAPED_MARK)) throw new SyntaxError('This could be taken for a run of pets')
    const start = START.exec(text)
    if (!start) {
      this.frame += text
      return ''
    }
    this.frame += `${text.slice(0, start.index)}"pets":${JSON.stringify(MARK + this.#runs.length)}`
    this.#run = []
    this.#runs.push(this.#run)
    return text.slice(start.index + start[0].length)
  }

  #within(run: Pet[], lines: string): string {
    const text = this.#rest + lines
    const end = closingBracket(text)
    this.#rest = this.#addWhole(run, end === -1 ? text : text.slice(0, end))
    if (end === -1) return ''
    if (this.#rest.trim() !== '') this.#add(run, this.#rest)
    else if (run.length > 0) throw new SyntaxError('A comma before the end of an array')
    this.#rest = ''
    this.#run = undefined
    return text.slice(end + 1)
  }

  /** Adds every complete pet that is followed by another one; returns the rest of the text. */
  #addWhole(run: Pet[], text: string): string {
    let start = 0
    for (;;) {
      let end = text.lastIndexOf(PET_END, start + PIECE)
      if (end < start) end = text.indexOf(PET_END, start)
      if (end === -1) return text.slice(start)
      this.#add(run, text.slice(start, end + 1))
      start = end + PET_END.length
    }
  }

  #add(run: Pet[], text: string): void {
    const list = `[${text}]`
    const pets = JSON.parse(list) as unknown[]
    if (this.#isStrict && mayRepeatName(list, pets)) throw new SyntaxError('A name may be repeated')
    if (pets.every(this.#reader.isPlain)) for (const pet of pets) run.push(pet)
    else run.push(...this.#exactly(pets, text))
  }

  /** Parses pets again that may have lost digits; all of them if they cannot be separated. */
  #exactly(pets: unknown[], text: string): Pet[] {
    const { isPlain, petOf, petsOf } = this.#reader
    const texts = text.split(PET_END)
    if (texts.length !== pets.length) return exactly(`[${text}]`, (value) => petsOf(value, []))
    const whole = (index: number): string => `${texts[index]}${index < texts.length - 1 ? '}' : ''}`
    return pets.map((pet, index) => (isPlain(pet) ? pet : exactly(whole(index), (value) => petOf(value, []))))
  }
}

/** The position of the first `]` that begins a line; -1 if there is none. */
function closingBracket(text: string): number {
  for (let at = text.indexOf(']'); at !== -1; at = text.indexOf(']', at + 1)) {
    const line = text.lastIndexOf('\n', at) + 1
    if (text.slice(line, at).trim() === '') return at
  }
  return -1
}
