import { afterEach, beforeEach } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { launch, type Started, stopAll } from '../support/program.ts'

/** The working directory of the running test. */
export let folder: string

/** Gives each test of a file an empty folder, and ends its processes afterwards. */
export function inFreshFolders(): void {
  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(stopAll)
}

/** Starts the program in the folder of the test. */
export const startProgram = (args: string[], env: NodeJS.ProcessEnv = {}): Started =>
  launch(args, { cwd: folder, env })
