import { defineConfig } from 'vitest/config'

/** `npm run test:long`: what takes minutes, such as hundreds of kills at random moments. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: './test/support/build.ts',
    testTimeout: 30 * 60_000,
    hookTimeout: 10 * 60_000,
    pool: 'forks',
  },
})
