import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long though they are small. Vitest begins with the largest files as long as it has no durations. */
const LONGEST = [
  'e2e/inspector',
  'e2e/inspector-views',
  'e2e/inspector-widths',
  'e2e/inspector-live',
  'e2e/site',
  'edge/world',
  'cli/exec',
  'e2e/recipes',
  'e2e/playwright',
  'e2e/package',
  'cli/outputs',
  'node/store/failing-disk',
  'leaks/leaks',
  'e2e/inspector-tasks',
  'e2e/vite',
  'cli/start',
  'e2e/documentation',
  'fuzz/api',
  'fuzz/at-once',
  'api/cases',
  'model/sequences',
  'past/replay',
  'tools/conformance/defects',
  'control/cases',
  'regular-expressions',
  'model/socket',
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
