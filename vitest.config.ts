import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const MINUTE = 60_000
const startsInstance = (file: string) => /startTestApp|startRealDaemon/.test(readFileSync(file, 'utf8'))
/** These tests measure the process that they run in, or replace one of its modules. */
const ALONE = 'test/**/*.alone.test.ts'

/** The runs of the scripts in package.json. CONTRIBUTING.md says what each of them needs and how long it takes. */
export default defineConfig({
  test: {
    globalSetup: './test/support/build.ts',
    // The machines that run this may be slow and shared; a test waits for events, never for a time. Longer than the waits within
    // (`until`), which say what never came.
    testTimeout: 3 * MINUTE,
    hookTimeout: 3 * MINUTE,
    pool: 'forks',
    // Most files wait half of their time, for a disk or for another process; Vitest's default leaves one core free.
    maxWorkers: availableParallelism() + 1,
    // A process for each file would load the same modules hundreds of times.
    isolate: false,
    // .ci/run counts from the file what passed, failed and was skipped.
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: `.cache/${process.env.npm_lifecycle_event ?? 'vitest'}.json` }]]
      : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/*.test.ts', 'test/{unit,conformance,http,cli,client,acceptance}/**/*.test.{ts,tsx}'],
          exclude: [ALONE],
        },
      },
      { extends: true, test: { name: 'alone', include: [ALONE], isolate: true } },
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/{exhaustive,daemon,servers,tools,web,faults,quality}/**/*.test.ts'],
          exclude: [ALONE],
          // These wait longer for other processes.
          maxWorkers: availableParallelism() + 2,
          sequence: { groupOrder: 5 },
        },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: [
            'test/http/**/*.test.ts',
            ...globSync('test/{cli,client,exhaustive,tools,web}/**/*.test.ts').filter(startsInstance),
            // Also looks for secrets in the database.
            'test/acceptance/secrets.test.ts',
          ],
          globalSetup: ['./test/support/build.ts', './test/support/shared-servers.ts'],
          // One fewer than in `npm test`, because the servers need processor time as well.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          isolate: true,
          // DOCSEARCH_TEST_LOAD_S makes some tests longer.
          testTimeout: 30 * MINUTE + Number(process.env.DOCSEARCH_TEST_LOAD_S ?? 0) * 1000,
          hookTimeout: 10 * MINUTE,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: [
            'test/faults/**/*.test.ts',
            'test/long/{random-kills,faulty-disk,every-call,damaged-bits,connections,load,eight-hours,several-processes}.test.ts',
          ],
          isolate: true,
          env: { DOCSEARCH_TEST_ALL_DAMAGES: 'true' },
          testTimeout: 30 * MINUTE,
          hookTimeout: 10 * MINUTE,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'ollama',
          include: ['test/ollama/**/*.test.ts'],
          globalSetup: ['./test/support/build.ts', './test/ollama/say-what-is-missing.ts'],
          testTimeout: 10 * MINUTE,
          hookTimeout: 10 * MINUTE,
          // The files share one Ollama, and would time each other out.
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
