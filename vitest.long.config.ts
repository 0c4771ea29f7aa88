import { defineConfig } from 'vitest/config'

/** `npm run test:long`: what takes minutes, such as hundreds of kills at random moments. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: './test/support/build.ts',
    // DOCSEARCH_TEST_LOAD_S makes some tests longer.
    testTimeout: 30 * 60_000 + Number(process.env.DOCSEARCH_TEST_LOAD_S ?? 0) * 1000,
    hookTimeout: 10 * 60_000,
    pool: 'forks',
  },
})
