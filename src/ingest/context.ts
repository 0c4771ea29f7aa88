import type { Blobs } from '../blobs/blobs.ts'
import type { Limits } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { Ocr } from '../parse/ocr/ocr.ts'
import type { ParserPool } from '../parse/pool/pool.ts'
import type { Records } from '../records/records.ts'

/** What ingest is made of, handed in by serve/. */
export interface IngestOptions {
  records: Records
  blobs: Blobs
  lifecycle: Lifecycle
  parserPool: ParserPool
  /** For pages without text; none where the operator named no program. */
  ocr?: Ocr | undefined
  limits: Pick<Limits, 'fileBytes'>
  /** Parser processes in the pool; default one for each core. */
  parseWorkers?: number
  clock: Clock
  log: Logger
}
