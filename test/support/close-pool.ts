// A process that starts a pool of two parsers, closes it, and prints that it did.
import { DEFAULT_LIMITS } from '../../src/config/config.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { createParserPool } from '../../src/parse/pool/pool.ts'

const pool = createParserPool({ workers: 2, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', log: silentLogger })

// No top-level await: Node would report that the promise never settled.
void pool.close().then(() => console.log('closed'))
