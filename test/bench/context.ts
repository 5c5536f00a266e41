import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { type Contender, SERVER } from './contenders.ts'
import { installed, type NodeMajor } from './packages.ts'
import { SCRATCH } from './scratch.ts'

export interface Size {
  /** The length of a measurement, and of the warm-up before it, in seconds. */
  readonly seconds: number
  readonly warmUp: number
  readonly rounds: number
  /** The number of rounds of short measurements. */
  readonly starts: number
  readonly installs: number
  /** The number of rounds of long measurements. */
  readonly longRounds: number
  /** The number of turns of two parallel servers in each long round. */
  readonly slices: number
  /** The number of pets in measurements with many. */
  readonly pets: number
  readonly requests: number
}

export const FULL: Size = {
  seconds: 4,
  warmUp: 2,
  rounds: 5,
  starts: 15,
  installs: 5,
  longRounds: 3,
  slices: 8,
  pets: 1_000_000,
  requests: 1_000_000,
}
export const QUICK: Size = {
  seconds: 1,
  warmUp: 1,
  rounds: 1,
  starts: 3,
  installs: 1,
  longRounds: 1,
  slices: 2,
  pets: 100_000,
  requests: 20_000,
}

/** The parts that every measurement needs. */
export interface Bench {
  readonly size: Size
  /** The Node executable that runs every server. */
  readonly node: string
  readonly major: NodeMajor
  /** The servers to compare with, the bare one first. */
  readonly beside: readonly Contender[]
  /** The folder of another build of the sandbox to compare with. */
  readonly base: string | undefined
  /** Adds a note for the reader of the table. */
  readonly note: (text: string) => void
  /** Adds a measurement that failed. */
  readonly fail: (text: string) => void
  readonly progress: (text: string) => void
}

/** The folder with the packages of a contender and, if it has one, our program that uses them. */
export async function packagesOf({ name, packages, server }: Contender): Promise<string> {
  const at = packages ? await installed(packages) : join(SCRATCH, name.replaceAll(/\W+/g, '-'))
  mkdirSync(at, { recursive: true })
  if (server) await buildServer(server, join(at, SERVER))
  return at
}

/** Bundles a program of `servers` into one JavaScript file for every Node. Its packages are not bundled. */
export async function buildServer(name: string, file: string): Promise<void> {
  await build({
    input: fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url)),
    platform: 'node',
    external: /^[^./]/,
    output: { file, format: 'esm' },
  })
}
