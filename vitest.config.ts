import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/long/**', 'test/ollama/**', 'node_modules/**', 'dist/**'],
    globalSetup: './test/support/build.ts',
    // The machines that run this may be slow and shared; a test waits for events, never for a time. Longer than the waits within
    // (`until`), which say what never came.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Most files wait half of their time, for a disk or for another process; Vitest's default leaves one core free.
    maxWorkers: availableParallelism() + 1,
    // .ci/run counts from the file what passed, failed and was skipped.
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.cache/vitest.json' }]] : ['default'],
  },
})
