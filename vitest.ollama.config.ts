import { defineConfig } from 'vitest/config'

/** `npm run test:ollama`: what needs a real Ollama, named by OLLAMA_HOST. Without one, everything is skipped. */
export default defineConfig({
  test: {
    include: ['test/ollama/**/*.test.ts'],
    globalSetup: ['./test/support/build.ts', './test/ollama/say-what-is-missing.ts'],
    testTimeout: 10 * 60_000,
    hookTimeout: 10 * 60_000,
    pool: 'forks',
    // The files share one Ollama, and would time each other out.
    maxWorkers: 1,
  },
})
