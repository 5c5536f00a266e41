import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'

/** For this run only; the bench removes it at its end. */
export const SCRATCH = mkdtempSync(join(os.tmpdir(), 'petstore-sandbox-bench-run-'))
