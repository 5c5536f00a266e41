import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long though they are small. Vitest begins with the largest files as long as it has no durations. */
const LONGEST = [
  'model/sequences',
  'node/store/failing-disk',
  'leaks/leaks',
  'e2e/inspector',
  'e2e/inspector-views',
  'e2e/site',
  'e2e/recipes',
  'e2e/package',
  'e2e/playwright',
  'api/cases',
  'tools/conformance/defects',
  'edge/world',
  'past/replay',
  'control/cases',
  'regular-expressions',
  'model/socket',
  'fuzz/api',
  'fuzz/at-once',
]

/** Begins with the files that take longest: at the end of a run they would keep one worker while the others have nothing. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification, name: string) => moduleId.endsWith(`/${name}.test.ts`)
    const rank = (file: TestSpecification) => {
      const index = LONGEST.findIndex((name) => isLong(file, name))
      return index === -1 ? LONGEST.length : index
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
