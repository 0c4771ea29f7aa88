import { createRequire } from 'node:module'

/** Arrow as LanceDB loads it. An `import` would load the 134 modules of the package a second time, as ES modules. */
export const arrow = createRequire(import.meta.url)('apache-arrow') as typeof import('apache-arrow')
