import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import { chooseEmbedder } from '../embed/choose.ts'
import type { ImageCache } from '../images/image-cache.ts'
import type { ChooseEmbedder } from '../lifecycle/lifecycle.ts'
import type { CallQueue } from '../ollama/call-queue.ts'
import { createOcr, type Ocr } from '../parse/ocr/ocr.ts'
import type { ParserPool } from '../parse/pool/pool.ts'
import type { Records } from '../records/records.ts'
import type { Backend } from '../services/create.ts'
import type { DataFolder } from './data-folder.ts'
import type { OpenParts } from './open-parts.ts'
import type { OpenTelemetry } from './telemetry.ts'

/** One processor is left to the main thread. */
export const SEARCH_THREADS = Math.max(1, availableParallelism() - 1)

/** What an instance keeps in its data folder, or in a database and an object store that several processes share. */
export type StorageParts = Pick<
  Backend,
  'blobs' | 'lifecycle' | 'ingest' | 'webhooks' | 'originals' | 'runDoctor' | 'backupSource' | 'storeState'
>

/** What these parts are made of. Each part is added to `open`. */
export interface PartsOptions {
  config: Config
  /** The settings file. */
  settingsFile: LoadedConfig['file']
  version: string
  folder: DataFolder
  records: Records
  /** Known once the server listens. */
  baseUrl: () => string
  clock: Clock
  log: Logger
  measuring: OpenTelemetry
  open: OpenParts
  images: ImageCache
  /** The calls to Ollama, which embedders and rerankers share. */
  queue: CallQueue
  parserPool: ParserPool
}

export function embedderChooser({ config, log, queue }: Pick<PartsOptions, 'config' | 'log' | 'queue'>): ChooseEmbedder {
  return (existing, named) =>
    chooseEmbedder({ setting: named ?? config.embedder, ollamaUrl: config.ollamaUrl, existing, log, queue })
}

/** Returns undefined when the operator has set no OCR program. */
export async function openOcr({ ocrCommand, dataDir, limits }: Config): Promise<Ocr | undefined> {
  if (ocrCommand === null) return undefined
  return createOcr({
    command: ocrCommand,
    folder: join(dataDir, 'ocr'),
    limitMs: limits.ocrMs,
    // A page with its recognised text is larger than the page alone.
    maxBytes: 2 * limits.fileBytes,
  })
}
