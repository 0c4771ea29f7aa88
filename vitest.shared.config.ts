import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** `npm run test:shared`: the tests of HTTP on a PostgreSQL database and an object store, which all files share. */
export default defineConfig({
  test: {
    include: ['test/http/**/*.test.ts'],
    globalSetup: ['./test/support/build.ts', './test/support/shared-servers.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // One fewer than in vitest.config.ts, because the servers need processor time as well.
    maxWorkers: availableParallelism(),
  },
})
