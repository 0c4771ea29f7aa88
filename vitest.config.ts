import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/long/**', 'node_modules/**', 'dist/**'],
    // The machines that run this may be slow and shared; a test waits for events, never for a time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
})
