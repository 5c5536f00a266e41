import type { Int64, Pet } from './pet.ts'

/** Pets in a leaf, and children of a branch, at most. */
const WIDTH = 64

/** Only the tree that created a node in its current edit may change it in place; every other tree copies it first. */
interface Node {
  readonly edit: object
  /** The least id in it. */
  first: Int64
  /** How many pets are in it. */
  count: number
}

interface Leaf extends Node {
  readonly pets: Pet[]
}

interface Branch extends Node {
  readonly nodes: (Leaf | Branch)[]
}

/**
 * Pets by ascending id, as a B+ tree that knows how many pets lie below each node: found by id or by position in
 * logarithmic time. A copy takes constant time and shares every node until one side changes it.
 */
export class PetTree {
  #root: Leaf | Branch
  #edit = {}

  /** `pets`: by ascending id. */
  constructor(pets: readonly Pet[] = []) {
    let nodes: (Leaf | Branch)[] = []
    for (let i = 0; i < pets.length; i += WIDTH) nodes.push(leafOf(pets.slice(i, i + WIDTH), this.#edit))
    while (nodes.length > 1) {
      const level: Branch[] = []
      for (let i = 0; i < nodes.length; i += WIDTH)
        level.push(branchOf(nodes.slice(i, i + WIDTH), this.#edit))
      nodes = level
    }
    this.#root = nodes[0] ?? leafOf([], this.#edit)
  }

  copy(): PetTree {
    // Neither side may change in place what both have now.
    this.#edit = {}
    const copy = new PetTree()
    copy.#root = this.#root
    return copy
  }

  isSameAs(other: PetTree): boolean {
    return this.#root === other.#root
  }

  get size(): number {
    return this.#root.count
  }

  get(id: Int64): Pet | undefined {
    let node = this.#root
    while ('nodes' in node) node = node.nodes[childOf(node, id)] as Leaf | Branch
    const pet = node.pets[placeOf(node.pets, id)]
    return pet?.id === id ? pet : undefined
  }

  /** Adds a pet, or replaces the one with its id, which is returned. */
  set(pet: Pet): Pet | undefined {
    const before = this.get(pet.id)
    const [node, right] = put(this.#root, pet, before === undefined ? 1 : 0, this.#edit)
    this.#root = right ? branchOf([node, right], this.#edit) : node
    return before
  }

  /** Takes a pet out, and returns it. */
  delete(id: Int64): Pet | undefined {
    const pet = this.get(id)
    if (pet) this.#root = remove(this.#root, id, this.#edit) ?? leafOf([], this.#edit)
    return pet
  }

  /** How many pets have an id that is not above this one. */
  rank(id: Int64): number {
    let node = this.#root
    let rank = 0
    while ('nodes' in node) {
      const child = childOf(node, id)
      for (let i = 0; i < child; i++) rank += (node.nodes[i] as Node).count
      node = node.nodes[child] as Leaf | Branch
    }
    const place = placeOf(node.pets, id)
    return rank + place + (node.pets[place]?.id === id ? 1 : 0)
  }

  /** Up to `limit` pets by ascending id, without the first `skip`. */
  slice(skip: number, limit: number): Pet[] {
    const pets: Pet[] = []
    collect(this.#root, skip, skip + limit, pets)
    return pets
  }

  /** By ascending id. Nothing may change meanwhile: walk a copy. */
  *values(): Generator<Pet> {
    yield* walk(this.#root)
  }
}

const leafOf = (pets: Pet[], edit: object): Leaf => ({
  edit,
  first: pets[0]?.id ?? 0,
  count: pets.length,
  pets,
})

function branchOf(nodes: (Leaf | Branch)[], edit: object): Branch {
  let count = 0
  for (const node of nodes) count += node.count
  return { edit, first: (nodes[0] as Node).first, count, nodes }
}

/** Which child an id belongs to: the last one that does not begin behind it. */
function childOf({ nodes }: Branch, id: Int64): number {
  let [low, high] = [1, nodes.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((nodes[middle] as Node).first <= id) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The position of a pet with this id, or where it would be inserted. */
function placeOf(pets: readonly Pet[], id: Int64): number {
  let [low, high] = [0, pets.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pets[middle] as Pet).id < id) low = middle + 1
    else high = middle
  }
  return low
}

const ownLeaf = (leaf: Leaf, edit: object): Leaf => (leaf.edit === edit ? leaf : leafOf([...leaf.pets], edit))

const ownBranch = (branch: Branch, edit: object): Branch =>
  branch.edit === edit ? branch : { ...branch, edit, nodes: [...branch.nodes] }

/** The node with the pet in it, and its right half where it became too wide. `added`: 1 for a new id, else 0. */
function put<T extends Leaf | Branch>(
  node: T,
  pet: Pet,
  added: 0 | 1,
  edit: object,
): [Leaf | Branch, (Leaf | Branch)?] {
  if ('nodes' in node) {
    const own = ownBranch(node, edit)
    const at = childOf(own, pet.id)
    const [left, right] = put(own.nodes[at] as Leaf | Branch, pet, added, edit)
    own.nodes[at] = left
    if (right) own.nodes.splice(at + 1, 0, right)
    own.count += added
    if (pet.id < own.first) own.first = pet.id
    if (own.nodes.length <= WIDTH) return [own]
    return [
      branchOf(own.nodes.slice(0, splitOf(at, WIDTH)), edit),
      branchOf(own.nodes.slice(splitOf(at, WIDTH)), edit),
    ]
  }
  const own = ownLeaf(node as Leaf, edit)
  const at = placeOf(own.pets, pet.id)
  if (at === own.pets.length) own.pets.push(pet)
  else own.pets.splice(at, 1 - added, pet)
  own.count = own.pets.length
  own.first = (own.pets[0] as Pet).id
  if (own.count <= WIDTH) return [own]
  return [
    leafOf(own.pets.slice(0, splitOf(at, WIDTH)), edit),
    leafOf(own.pets.slice(splitOf(at, WIDTH)), edit),
  ]
}

/** Ids are mostly added at the end: a node that overflows there stays full. */
const splitOf = (at: number, width: number): number => (at >= width ? width : width >>> 1)

/** The node without the pet; undefined where nothing is left of it. */
function remove(node: Leaf | Branch, id: Int64, edit: object): Leaf | Branch | undefined {
  if ('nodes' in node) {
    const own = ownBranch(node, edit)
    const at = childOf(own, id)
    const rest = remove(own.nodes[at] as Leaf | Branch, id, edit)
    own.nodes.splice(at, 1, ...(rest ? [rest] : []))
    if (own.nodes.length <= 1) return own.nodes[0]
    own.count--
    own.first = (own.nodes[0] as Node).first
    return own
  }
  const own = ownLeaf(node, edit)
  own.pets.splice(placeOf(own.pets, id), 1)
  if (own.pets.length === 0) return undefined
  own.count = own.pets.length
  own.first = (own.pets[0] as Pet).id
  return own
}

/** Adds the pets from position `from` to position `to`, counted from the start of the node. */
function collect(node: Leaf | Branch, from: number, to: number, pets: Pet[]): void {
  if (!('nodes' in node)) {
    for (let i = Math.max(0, from); i < Math.min(to, node.count); i++) pets.push(node.pets[i] as Pet)
    return
  }
  let at = 0
  for (const child of node.nodes) {
    if (at >= to) return
    if (at + child.count > from) collect(child, from - at, to - at, pets)
    at += child.count
  }
}

function* walk(node: Leaf | Branch): Generator<Pet> {
  if ('nodes' in node) for (const child of node.nodes) yield* walk(child)
  else yield* node.pets
}
