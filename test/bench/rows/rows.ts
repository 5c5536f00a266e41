import type { Comparison } from '../comparison.ts'
import type { Bench } from '../context.ts'
import { historyRows, logRows, recordRows, rewindRows } from './history.ts'
import { installRows } from './install.ts'
import { manyPetsRows, startManyRow } from './many.ts'
import { memoryRows } from './memory.ts'
import { operationRow } from './operation.ts'
import { pageRows } from './page.ts'
import { stallRow } from './stall.ts'
import { startRows } from './start.ts'

/** All measurements, in the order of the table. */
export const ROWS = {
  start: startRows,
  list: (bench) => operationRow(bench, 'list'),
  one: (bench) => operationRow(bench, 'one'),
  create: (bench) => operationRow(bench, 'create'),
  many: manyPetsRows,
  'start-many': startManyRow,
  stall: stallRow,
  memory: memoryRows,
  history: historyRows,
  record: recordRows,
  log: logRows,
  rewind: rewindRows,
  page: pageRows,
  install: installRows,
} satisfies Record<string, (bench: Bench) => Promise<Comparison[]>>

export type RowName = keyof typeof ROWS
