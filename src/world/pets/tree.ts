import type { Int64, Pet } from './pet.ts'
import { PLACE_BYTES } from './state-size.ts'

/** The limit of pets in a leaf, and of children in a branch. */
const WIDTH = 64

/** The bytes of a node without its places. */
const NODE_BYTES = 80

/** About how many bytes the nodes take that were copied to be changed: those of the initial tree, and others. */
export interface CopiedNodes {
  ofInitial: number
  ofOthers: number
}

export const nothingCopied = (): CopiedNodes => ({ ofInitial: 0, ofOthers: 0 })

interface Edit {
  readonly copied: CopiedNodes
  /** Whether it made the initial tree. */
  readonly isInitial: boolean
}

/** A tree may change in place only the nodes that it created in its current edit; it copies others first. */
interface Node {
  readonly edit: Edit
  /** The least id in it. */
  first: Int64
  /** The number of its pets. */
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
  #edit: Edit

  /** `pets`: by ascending id. `copied`: its changes are added there. */
  constructor(pets: readonly Pet[] = [], copied = nothingCopied()) {
    this.#edit = { copied, isInitial: pets.length > 0 }
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

  copy(copied = nothingCopied()): PetTree {
    // Neither side may change in place what both have now.
    this.#edit = { copied: this.#edit.copied, isInitial: false }
    const copy = new PetTree([], copied)
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

  /** Adds a pet, or replaces the one with its id. Returns the replaced pet. */
  set(pet: Pet): Pet | undefined {
    const before = this.get(pet.id)
    this.#root = own(this.#root, this.#edit)
    const right = put(this.#root, pet, this.#edit)
    if (right) this.#root = branchOf([this.#root, right], this.#edit)
    return before
  }

  /** Removes a pet and returns it. */
  delete(id: Int64): Pet | undefined {
    const pet = this.get(id)
    if (pet) this.#root = remove(this.#root, id, this.#edit) ?? leafOf([], this.#edit)
    return pet
  }

  /** The number of pets with an id up to this one. */
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

  /** By ascending id. The tree must not change meanwhile: iterate over a copy. */
  *values(): Generator<Pet> {
    for (const { pets } of leavesOf(this.#root)) yield* pets
  }

  /**
   * About how many bytes it takes beside another tree. Of a copy, only leaves that have changed since are visited one by
   * one: they have new places, also for pets that the other tree has.
   */
  bytesBeside(other: PetTree, sizeOf: (pet: Pet) => number): number {
    const shared = new Set<Leaf>(leavesOf(other.#root))
    let bytes = 0
    for (const leaf of leavesOf(this.#root)) {
      if (shared.has(leaf)) continue
      for (const pet of leaf.pets) bytes += other.get(pet.id) === pet ? PLACE_BYTES : sizeOf(pet)
    }
    return bytes
  }
}

function leafOf(pets: Pet[], edit: Edit): Leaf {
  return { edit, first: pets[0]?.id ?? 0, count: pets.length, pets }
}

function branchOf(nodes: (Leaf | Branch)[], edit: Edit): Branch {
  let count = 0
  for (const node of nodes) count += node.count
  return { edit, first: (nodes[0] as Node).first, count, nodes }
}

/** The child to which an id belongs: the last one whose first id is not greater. */
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

/** A node that this edit may change: the node itself, or a copy if another edit created it. */
function own(node: Leaf | Branch, edit: Edit): Leaf | Branch {
  if (node.edit === edit) return node
  const size = NODE_BYTES + PLACE_BYTES * ('nodes' in node ? node.nodes : node.pets).length
  if (node.edit.isInitial) edit.copied.ofInitial += size
  else edit.copied.ofOthers += size
  return 'nodes' in node ? { ...node, edit, nodes: [...node.nodes] } : leafOf([...node.pets], edit)
}

/** Puts a pet into a node of this edit. Returns the right half if the node had to be split. */
function put(node: Leaf | Branch, pet: Pet, edit: Edit): Leaf | Branch | undefined {
  if (!('nodes' in node)) return putIntoLeaf(node, pet, edit)
  const { nodes } = node
  const at = childOf(node, pet.id)
  const child = own(nodes[at] as Leaf | Branch, edit)
  const { count } = child
  const right = put(child, pet, edit)
  nodes[at] = child
  if (right) nodes.splice(at + 1, 0, right)
  node.count += child.count + (right?.count ?? 0) - count
  if (pet.id < node.first) node.first = pet.id
  if (nodes.length <= WIDTH) return undefined
  const cut = branchOf(nodes.splice(splitOf(at)), edit)
  node.count -= cut.count
  return cut
}

function putIntoLeaf(leaf: Leaf, pet: Pet, edit: Edit): Leaf | undefined {
  const { pets } = leaf
  const at = placeOf(pets, pet.id)
  if (at === pets.length) pets.push(pet)
  else pets.splice(at, pets[at]?.id === pet.id ? 1 : 0, pet)
  const right = pets.length > WIDTH ? leafOf(pets.splice(splitOf(at)), edit) : undefined
  leaf.count = pets.length
  leaf.first = (pets[0] as Pet).id
  return right
}

/** The index at which a full node is split. Most ids are added at the end, and there the left node stays full. */
const splitOf = (at: number): number => (at >= WIDTH ? WIDTH : WIDTH >>> 1)

/** The node without the pet; undefined if it is empty then. */
function remove(shared: Leaf | Branch, id: Int64, edit: Edit): Leaf | Branch | undefined {
  const node = own(shared, edit)
  if ('nodes' in node) {
    const at = childOf(node, id)
    const rest = remove(node.nodes[at] as Leaf | Branch, id, edit)
    node.nodes.splice(at, 1, ...(rest ? [rest] : []))
    if (node.nodes.length <= 1) return node.nodes[0]
    node.count--
    node.first = (node.nodes[0] as Node).first
    return node
  }
  node.pets.splice(placeOf(node.pets, id), 1)
  if (node.pets.length === 0) return undefined
  node.count = node.pets.length
  node.first = (node.pets[0] as Pet).id
  return node
}

/** Collects the pets from position `from` to position `to`, counted from the start of the node. */
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

function* leavesOf(node: Leaf | Branch): Generator<Leaf> {
  if ('nodes' in node) for (const child of node.nodes) yield* leavesOf(child)
  else yield node
}
