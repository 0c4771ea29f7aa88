import { DEFAULT_LIMITS } from '../../src/config/config.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { createParserPool } from '../../src/parse/pool/pool.ts'

/** Shared by all tests of a process: a parser keeps nothing of a document, and starting one takes half a second of a core. */
export const parserPool = createParserPool({ workers: 2, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', log: silentLogger })
