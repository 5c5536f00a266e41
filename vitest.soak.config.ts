import { defineConfig } from 'vitest/config'

/** The tests of `npm run soak`, which take long. */
export default defineConfig({
  test: {
    include: [
      'test/{fuzz,leaks,model}/*.test.ts',
      'test/past/{replay,recording}.test.ts',
      'test/node/store/mutants.test.ts',
      'test/e2e/crash.test.ts',
    ],
    env: { PETSTORE_SOAK: '1' },
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
  },
})
