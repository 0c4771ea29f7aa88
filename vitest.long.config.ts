import { defineConfig } from 'vitest/config'

/** Runs of many minutes that print figures: `npm run test:long`. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    pool: 'forks',
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
})
