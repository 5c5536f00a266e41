import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BASE } from './goals.ts'
import { PAGE } from './pets.ts'

/** A request, and the expected status of its response. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
  /** The number of requests that one API key allows, if that cannot be turned off. */
  readonly keyLasts?: number
}

const OPERATIONS = ['list', 'one', 'create'] as const
export type Operation = (typeof OPERATIONS)[number]

/** The folders in which a contender is started. */
export interface Place {
  /** A new folder, which is the working directory and contains PETS. */
  readonly folder: string
  /** The folder of its installed packages. */
  readonly packages: string
  readonly port: string
}

export type Contender = {
  readonly name: string
  /** Packages from npm; the first one is the contender's. */
  readonly packages?: readonly string[]
  /** The oldest Node that it supports, if that is newer than ours. */
  readonly leastNode?: number
  /** A program in `servers` that uses the packages. */
  readonly server?: string
  /** The arguments of node for a default start. */
  readonly command: (place: Place) => readonly string[]
  /** Additional arguments under load: no log, a page of pets. */
  readonly underLoad?: (place: Place) => readonly string[]
  readonly list: BenchRequest
} & { readonly [operation in Operation]?: BenchRequest }

/** The file in the folder of a contender with a page of pets, as a fixture and as a database of json-server. */
export const PETS = 'pets.json'
/** The file with the program that uses a contender's packages. */
export const SERVER = 'server.mjs'

const project = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const CONTRACT = project('src/contract/generated/animal-store.json')

const program = ({ packages }: Place, name: string): string => join(packages, 'node_modules', '.bin', name)

export function petRequests(prefix: string): { [operation in Operation]: BenchRequest } {
  const headers = { authorization: 'Bearer psk_enterprise' }
  return {
    list: { method: 'GET', path: `${prefix}/pets`, headers, status: 200 },
    one: { method: 'GET', path: `${prefix}/pets/7`, headers, status: 200 },
    create: {
      method: 'POST',
      path: `${prefix}/pets`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"name":"Kit","categoryId":2,"status":"pending"}',
      status: 201,
    },
  }
}

/** Options for no limit and no log. */
export const UNHINDERED = ['--limits', 'enterprise=unlimited/unlimited', '--log', 'silent']

export const SANDBOX: Contender = {
  name: 'petstore-sandbox',
  command: ({ port }) => [project('bin/petstore-sandbox.js'), '--port', port],
  underLoad: () => ['--fixture', PETS, ...UNHINDERED],
  ...petRequests('/v1'),
}

/** The sandbox, built in another folder. */
export const otherBuild = (folder: string): Contender => ({
  ...SANDBOX,
  name: BASE,
  command: ({ port }) => [join(folder, 'bin/petstore-sandbox.js'), '--port', port],
})

export const BARE: Contender = {
  name: 'node:http',
  server: 'bare',
  command: ({ packages, port }) => [join(packages, SERVER), port],
  ...petRequests('/v1'),
}

/** emulate refuses a key after 5,000 requests. */
const EMULATE_KEY = { headers: {}, keyLasts: 4000 }

export const EMULATE: Contender = {
  name: 'emulate',
  // The version with the tag latest in npm is an older program of another author.
  packages: ['emulate@0.12.2'],
  leastNode: 22,
  command: (place) => [program(place, 'emulate'), 'start', '--service', 'stripe', '--port', place.port],
  underLoad: ({ folder }) => {
    const customers = Array.from({ length: PAGE }, (_, index) => ({ name: `Pet ${index}` }))
    writeFileSync(join(folder, 'seed.json'), JSON.stringify({ stripe: { customers } }))
    return ['--seed', 'seed.json']
  },
  list: { method: 'GET', path: `/v1/customers?limit=${PAGE}`, status: 200, ...EMULATE_KEY },
  create: {
    method: 'POST',
    path: '/v1/customers',
    body: 'name=Kit',
    status: 200,
    ...EMULATE_KEY,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
}

const jsonServer = (name: string, version: string, underLoad: readonly string[] = []): Contender => ({
  name,
  packages: [`json-server@${version}`],
  command: (place) => [program(place, 'json-server'), '--host', '127.0.0.1', '--port', place.port, PETS],
  underLoad: () => underLoad,
  ...petRequests(''),
})

export const PEERS: readonly Contender[] = [
  {
    name: 'Fastify',
    packages: ['fastify@5.12.8'],
    server: 'fastify',
    command: ({ packages, port }) => [join(packages, SERVER), port],
    ...petRequests('/v1'),
  },
  EMULATE,
  {
    name: 'Prism',
    packages: ['@stoplight/prism-cli@5.16.0'],
    command: (place) => [program(place, 'prism'), 'mock', '--port', place.port, CONTRACT],
    underLoad: () => ['--verboseLevel', 'silent'],
    ...petRequests(''),
  },
  jsonServer('json-server 0.17', '0.17.4', ['--quiet']),
  jsonServer('json-server 1.0 beta', '1.0.0-beta.15'),
  {
    name: 'Mockoon',
    packages: ['@mockoon/cli@9.9.0'],
    command: (place) => [
      program(place, 'mockoon-cli'),
      'start',
      '--data',
      CONTRACT,
      '--hostname',
      '127.0.0.1',
      '--port',
      place.port,
      '--disable-log-to-file',
    ],
    ...petRequests('/v1'),
  },
  {
    name: 'Scalar',
    packages: ['@scalar/mock-server@0.14.4', '@hono/node-server@2.1.8'],
    leastNode: 22,
    server: 'scalar',
    command: ({ packages, port }) => [join(packages, SERVER), port, CONTRACT],
    ...petRequests(''),
  },
]
