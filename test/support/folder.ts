import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'

/**
 * A new folder. It is removed after the running test; outside of a test, after the last test of the file or `describe`.
 * Hooks that close its users run before that.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sandbox-'))
  const afterwards = TestRunner.getCurrentTest() ? onTestFinished : afterAll
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
