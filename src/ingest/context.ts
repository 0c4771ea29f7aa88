import type { Blobs } from '../blobs/blobs.ts'
import type { Limits } from '../config/config.ts'
import type { Quotas } from '../core/model.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Telemetry } from '../core/telemetry.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { Ocr } from '../parse/ocr/ocr.ts'
import type { ParserPool } from '../parse/pool/pool.ts'
import type { Records } from '../records/records.ts'
import type { SharedQueue } from '../records/shared.ts'

/** What serve/ hands in. */
export interface IngestOptions {
  records: Records
  blobs: Blobs
  lifecycle: Lifecycle
  parserPool: ParserPool
  /** Documents that other processes have read. Undefined for an instance with one process. */
  handedOver?: Pick<SharedQueue, 'takeOver'>
  /** Reads pages without text. Undefined when the operator has set no OCR program. */
  ocr?: Ocr | undefined
  limits: Pick<Limits, 'fileBytes'>
  /** The quotas of users who have none of their own. Without it, there are none. */
  quotas?: Quotas | undefined
  /** How many days deleted documents and replaced versions stay in the trash; 0, the default, for no trash. */
  trashDays?: number
  /** How many parser processes the pool has. One for each core by default. */
  parseWorkers?: number
  clock: Clock
  log: Logger
  telemetry?: Telemetry
}
