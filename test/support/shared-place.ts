import { vi } from 'vitest'
import type { Blobs } from '../../src/blobs/blobs.ts'
import { SWEEP_GRACE_MS } from '../../src/blobs/blobs.ts'
import { openObjectBlobs } from '../../src/blobs/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Config, Limits } from '../../src/config/config.ts'
import type { Clock } from '../../src/core/clock.ts'
import type { Logger } from '../../src/core/logger.ts'
import { CallQueue } from '../../src/ollama/call-queue.ts'
import { ImageCache } from '../../src/images/image-cache.ts'
import type { Records } from '../../src/records/records.ts'
import type { HeldLease } from '../../src/records/shared.ts'
import { openDataFolder } from '../../src/serve/data-folder.ts'
import { OpenParts } from '../../src/serve/open-parts.ts'
import { openSharedInstance, type SharedInstance } from '../../src/serve/shared-instance.ts'
import { openSharedParts } from '../../src/serve/shared-parts.ts'
import type { StorageParts } from '../../src/serve/storage-parts.ts'
import type { ParserPool } from '../../src/parse/pool/pool.ts'
import type { OpenTelemetry } from '../../src/serve/telemetry.ts'
import { newPlace } from './new-place.ts'

export interface SharedParts {
  shared: SharedInstance
  /** The records of the worker, which writes the index. */
  workerRecords: Records
  storage: StorageParts
  /** The address of the database. */
  database: string
  loseOriginal(sha256: string): Promise<void>
  blobsAfterRestart(): Promise<Blobs>
  /** Stops the worker, so that no process reads documents or writes the index. */
  stopReading(): Promise<void>
  closeStorage(): Promise<void>
}

/** Opens what an instance with the role `all` has, on a new database of the servers that DOCSEARCH_TEST_SHARED names (`npm run test:shared`). */
export async function openOnServers(options: {
  folder: string
  config: Partial<Config> & { limits: Limits }
  parserPool: ParserPool
  ollamaUrl: string
  measuring: OpenTelemetry
  clock: Clock
  log: Logger
}): Promise<SharedParts> {
  const { parserPool, ollamaUrl, measuring, clock, log } = options
  const { database, store, env } = await newPlace()
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const { config: defaults, file } = await loadConfig({ data: options.folder }, { DOCSEARCH_EMBEDDER: 'builtin' })
  const place = { database, store, role: 'all' as const }
  const config: Config = { ...defaults, scrubDays: 0, embedder: 'auto', ollamaUrl, ...options.config, shared: place }
  const open = new NamedParts(log)
  const upgrade = { version: '0.0.0-test', notify: () => {} }
  const opened = await openSharedInstance({ place, isAudited: true, upgrade, clock, log, open })
  let workerRecords = opened.records
  const shared = { ...opened, writerRecords: (held: HeldLease) => (workerRecords = opened.writerRecords(held)) }
  open.add('records', () => shared.records.close())
  // As in the tests on a data folder, whatever models their Ollama has.
  await shared.records.indexes.choose('builtin')
  const dataFolder = await openDataFolder(options.folder)
  open.add('data folder', () => dataFolder.close())
  const storage = await openSharedParts({
    config,
    settingsFile: file,
    version: '0.0.0-test',
    folder: dataFolder,
    records: shared.records,
    shared,
    baseUrl: () => '',
    clock,
    log,
    measuring,
    open,
    images: new ImageCache({ folder: `${options.folder}/page-images`, maxBytes: 1e8, log }),
    queue: new CallQueue(),
    parserPool,
  })
  return {
    shared,
    workerRecords,
    storage,
    database,
    async loseOriginal(sha256) {
      for await (const { key } of shared.store.list(`blobs/${sha256}/`)) await shared.store.delete(key)
    },
    blobsAfterRestart: () =>
      openObjectBlobs({
        store: shared.store,
        folder: `${options.folder}/restarted`,
        cacheBytes: 1e6,
        // Later than the grace period of a sweep.
        storeTime: async () => new Date(Date.now() + 2 * SWEEP_GRACE_MS),
      }),
    stopReading: () => open.close('worker', 5_000),
    closeStorage: () => open.closeAll(2_000),
  }
}

/** Parts that a test can close one by one. */
class NamedParts extends OpenParts {
  readonly #named = new Map<string, (graceMs: number) => Promise<void>>()

  override add(name: string, close: (graceMs: number) => Promise<void>): void {
    this.#named.set(name, close)
    super.add(name, close)
  }

  async close(name: string, graceMs: number): Promise<void> {
    await this.#named.get(name)!(graceMs)
  }
}
