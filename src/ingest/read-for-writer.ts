import { createRetries } from '../core/retries.ts'
import { noTelemetry } from '../core/telemetry.ts'
import { TEXT_MEDIA_TYPES } from '../parse/readers.ts'
import type { SharedQueue } from '../records/shared.ts'
import type { IngestOptions } from './context.ts'
import { Load } from './load.ts'
import { createExtract } from './steps.ts'
import { Worker } from './worker.ts'

export interface ReaderOptions extends Omit<IngestOptions, 'lifecycle' | 'handedOver'> {
  queue: SharedQueue
}

/**
 * Reads documents, stores their pages, and hands them over to the process that writes the index. Leaves text files to that process: handing a
 * document over takes about 4 ms of processor time, and reading a text file takes less than 1 ms.
 */
export function createDocumentReader(options: ReaderOptions): Pick<Worker, 'nudge' | 'stop'> {
  const { records, queue, log, telemetry = noTelemetry } = options
  const stopping = new AbortController()
  const retries = createRetries(log, stopping.signal)
  return new Worker({
    records,
    log,
    telemetry,
    retries,
    claim: (limit, claiming) => queue.claimUnread(limit, { ...claiming, exceptTypes: TEXT_MEDIA_TYPES }),
    extract: createExtract(options, { retries, telemetry, savePages: queue.handOver }),
    // The process that takes over the document indexes it.
    async index() {},
    load: new Load(options.parserPool.capacity),
    stopping,
    // A failed document has a tombstone, which the process that writes the index notices.
    onFailed() {},
  })
}
