import type { Reporter, TestModule } from 'vitest/node'

/** A run of fewer files is not a full run. */
const MANY = 50

const LISTED = 10

/** Prints the slowest files after a full run. */
export const slowest: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < MANY) return
    const seconds = (module: TestModule) => {
      const { collectDuration, duration } = module.diagnostic()
      return (collectDuration + duration) / 1000
    }
    const rows = modules.toSorted((one, other) => seconds(other) - seconds(one)).slice(0, LISTED)
    const lines = rows.map(
      (module) => `${seconds(module).toFixed(1).padStart(7)} s  ${module.relativeModuleId}`,
    )
    process.stdout.write(`\nThe slowest of ${modules.length} files:\n${lines.join('\n')}\n`)
  },
}
