import { LONGEST_RECORDING, RecordingWriter } from '../node/files/recording-file.ts'
import type { Lines } from './internals.ts'

/**
 * Writes a recording to a file. `warn`: called once, where it ends early. `longest`: in characters, after which it
 * continues from a checkpoint.
 */
export const inFile =
  (file: string, warn: (warning: string) => void, longest: number = LONGEST_RECORDING) =>
  (fail: () => void): Lines =>
    new RecordingWriter(
      file,
      (reason) => {
        fail()
        warn(`The recording ${file} ends here: ${reason}.`)
      },
      longest,
    )
