import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'

/** A folder for this run, which the benchmark removes at its end. */
export const SCRATCH = mkdtempSync(join(os.tmpdir(), 'petstore-sandbox-bench-run-'))
