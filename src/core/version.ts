import { createRequire } from 'node:module'

/** As in package.json, which lies beside `src/` and beside `dist/`. */
export const VERSION: string = (createRequire(import.meta.url)('../../package.json') as { version: string }).version
