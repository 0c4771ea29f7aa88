import { createRequire } from 'node:module'

/** The version in package.json, which is next to `src/` and `dist/`. */
export const VERSION: string = (createRequire(import.meta.url)('../../package.json') as { version: string }).version
