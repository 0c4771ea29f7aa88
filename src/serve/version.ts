import { createRequire } from 'node:module'

/** The version of this docsearch. package.json is next to `src/` and to `dist/`. */
export const VERSION = (createRequire(import.meta.url)('../../package.json') as { version: string }).version
