import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { maxWorkers: 3, setupFiles: './test/own-world.ts' },
})
