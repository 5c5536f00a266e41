import type { Pet } from '../domain/pets/pet.ts'
import { mayRepeatName } from '../openapi/json.ts'
import { exactly } from './parse.ts'
import type { PetReader } from './pet-reader.ts'
import type { PetsOf } from './shape.ts'

/** Characters parsed at a time: as fast as one JSON.parse of everything, without its memory. */
const PIECE = 64 * 1024
/** Stands in the frame for a run of pets. */
const MARK = '\0'
const ESCAPED_MARK = '\\u0000'
const START = /"pets"\s*:\s*\[[ \t]*\n/
const PET_END = '},\n'

/**
 * A JSON text taken apart while it comes in: the runs of pets that are written in lines of their own, and
 * the frame around them. A JSON string cannot hold a line break, so what ends a line is never within one.
 * Throws a SyntaxError or a ValidationError for what it cannot take apart, which may still be good JSON.
 */
export class Pieces {
  frame = ''
  readonly #reader: PetReader
  readonly #runs: Pet[][] = []
  #run: Pet[] | undefined
  /** Of the present run, what is not yet a whole pet. */
  #rest = ''

  readonly #isStrict: boolean

  /** `isStrict`: pets that have a name twice are none. */
  constructor(reader: PetReader, isStrict = false) {
    this.#reader = reader
    this.#isStrict = isStrict
  }

  /** Takes the next lines, whole ones. */
  take(lines: string): void {
    let text = this.frame === '' ? lines.replace(/^\uFEFF/, '') : lines
    while (text !== '') text = this.#run ? this.#within(this.#run, text) : this.#outside(text)
  }

  /** The pets of a run, where its mark stands; anything else is judged. */
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

  /** Adds every pet that another one follows; returns what is left. */
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

  /** Only the pets that may have lost digits are parsed again, if they can be told apart. */
  #exactly(pets: unknown[], text: string): Pet[] {
    const { isPlain, petOf, petsOf } = this.#reader
    const texts = text.split(PET_END)
    if (texts.length !== pets.length) return exactly(`[${text}]`, (value) => petsOf(value, []))
    const whole = (index: number): string => `${texts[index]}${index < texts.length - 1 ? '}' : ''}`
    return pets.map((pet, index) => (isPlain(pet) ? pet : exactly(whole(index), (value) => petOf(value, []))))
  }
}

/** Where the first line of a text begins with the bracket that closes a run; -1 where none does. */
function closingBracket(text: string): number {
  for (let at = text.indexOf(']'); at !== -1; at = text.indexOf(']', at + 1)) {
    const line = text.lastIndexOf('\n', at) + 1
    if (text.slice(line, at).trim() === '') return at
  }
  return -1
}
