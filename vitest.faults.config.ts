import { defineConfig } from 'vitest/config'

/** `npm run test:faults`: everything that breaks a running instance, with a report of what survived. */
export default defineConfig({
  test: {
    include: [
      'test/faults/**/*.test.ts',
      'test/long/{random-kills,faulty-disk,every-call,damaged-bits,connections,load,eight-hours,several-processes}.test.ts',
    ],
    globalSetup: './test/support/build.ts',
    env: { DOCSEARCH_TEST_ALL_DAMAGES: 'true' },
    testTimeout: 30 * 60_000,
    hookTimeout: 10 * 60_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './test/support/fault-suite.ts'],
  },
})
