/** A goal for the ratio to the compared server, or for the figure itself if there is none. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number }

type Goals = Readonly<Record<string, Goal>>

const JSON_SERVER = { atLeast: 20 }

export const GOALS = {
  start: { 'node:http': { atMost: 1.3 }, emulate: { atMost: 1 } },
  list: { 'node:http': { atLeast: 0.75 }, emulate: { atLeast: 1.5 }, Prism: { atLeast: 5 } },
  one: { 'node:http': { atLeast: 0.75 } },
  create: {
    'node:http': { atLeast: 0.6 },
    'json-server 0.17': JSON_SERVER,
    'json-server 1.0 beta': JSON_SERVER,
  },
} satisfies Record<string, Goals>

export const goalFor = (row: keyof typeof GOALS, against: string): Goal | undefined =>
  (GOALS[row] as Goals)[against]

/** The name of the build that `--base` names. */
export const BASE = 'the other build'
export const goalForCost = (against: string): Goal | undefined =>
  against === BASE ? { atMost: 1 } : undefined

/** For the rates with a million pets, relative to those with a hundred. */
export const MANY_PETS = { atLeast: 0.9 }
/** For the start with a million pets, relative to one JSON.parse of the file plus the bare start. */
export const START_MANY = { atMost: 2 }
/** In milliseconds. */
export const STALL = { atMost: 25 }
export const MEMORY = { atMost: 1 }
/** For the requests per processor time with an open page, relative to those without one. */
export const PAGE = { atLeast: 0.95 }
/** In milliseconds until a key press is painted. */
export const KEY_PRESS = { atMost: 50 }
/**
 * For the memory, relative to that after half of the requests: the garbage collector varies, but a leak would exceed
 * this.
 */
export const GROWTH = { atMost: 1.1 }
/** For the rates with the history, relative to a build without it. */
export const HISTORY = { list: { atLeast: 0.97 }, create: { atLeast: 0.95 } }
/** For the rates with a recording, relative to those without one. */
export const RECORDING = { atLeast: 0.8 }
/** For the rates with the default log, relative to those without a log. */
export const LOG = { atLeast: 0.6 }
/** In milliseconds. */
export const REWIND = { atMost: 50 }
export const INSTALL = { packages: { atMost: 3 }, megabytes: { atMost: 12 }, seconds: { atMost: 1.5 } }

export const reached = (goal: Goal, figure: number): boolean =>
  'atMost' in goal ? figure <= goal.atMost : figure >= goal.atLeast
