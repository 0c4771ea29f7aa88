// A process of its own that starts a pool of two parsers, closes it, and says so.
import { DEFAULT_LIMITS } from '../../src/config/config.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { createParserPool } from '../../src/parse/pool/pool.ts'

const pool = createParserPool({ workers: 2, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', log: silentLogger })

// Not awaited at the top: Node would say that it never came to an end.
void pool.close().then(() => console.log('closed'))
