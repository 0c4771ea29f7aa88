import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const startsInstance = (file: string) => /startTestApp|startRealDaemon/.test(readFileSync(file, 'utf8'))

/** `npm run test:shared`: tests that start an instance, on a PostgreSQL database and an object store, which all files share. */
export default defineConfig({
  test: {
    include: [
      'test/http/**/*.test.ts',
      ...globSync('test/{cli,client,web}/**/*.test.ts').filter(startsInstance),
      // Also looks for secrets in the database.
      'test/acceptance/secrets.test.ts',
    ],
    globalSetup: ['./test/support/build.ts', './test/support/shared-servers.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // One fewer than in vitest.config.ts, because the servers need processor time as well.
    maxWorkers: availableParallelism(),
  },
})
