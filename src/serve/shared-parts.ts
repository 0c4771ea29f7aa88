import { openObjectBlobs } from '../blobs/objects.ts'
import { BackgroundTask } from '../core/background-task.ts'
import { DocsearchError } from '../core/errors.ts'
import { Scrub } from '../doctor/scrub.ts'
import { createIngestForWriter, createDocumentReader } from '../ingest/without-lease.ts'
import { isOfNewerVersion, parseFingerprint } from '../lifecycle/fingerprint.ts'
import { followIndexes } from '../lifecycle/follow.ts'
import { type IndexReading, withoutIndexes } from '../lifecycle/lifecycle.ts'
import type { Ocr } from '../parse/ocr/ocr.ts'
import type { Records } from '../records/records.ts'
import { createWebhookDelivery, type WebhookDelivery } from '../webhooks/create.ts'
import { BackupSource } from '../services/backup-source.ts'
import { passagesOfDaemon, sharedBackupParts } from './backup-parts.ts'
import { IndexWorker } from './index-worker.ts'
import { runDoctor } from '../doctor/doctor-process.ts'
import { doctorSettings } from './doctor.ts'
import { indexStoreOf, type SharedPartsOptions, webhookOptions } from './shared-stores.ts'
import { embedderChooser, openOcr, SEARCH_THREADS, type StorageParts } from './storage-parts.ts'
import { writeIndex } from './write-index.ts'

/** How often to delete images of pages whose originals are gone. */
const SWEEP_MS = 6 * 3_600_000
/** The share of memory and disk that a process which answers searches and writes the index leaves to its writer. */
const WRITER_SHARE = 1 / 4

/** Opens what processes share. What they have on their own disks are copies. */
export async function openSharedParts(options: SharedPartsOptions): Promise<StorageParts> {
  const { config, records, shared, clock, log, open } = options
  const { place, store, coordination } = shared
  if (config.backup.target !== null && place.role === 'worker')
    throw new DocsearchError(
      'invalid_configuration',
      'The configuration is not valid:\n  backup.target needs the role api or all: a worker takes no backups',
    )
  const blobs = await openObjectBlobs({ store, folder: config.dataDir, cacheBytes: config.originalsCacheBytes })
  const lifecycle = place.role === 'worker' ? withoutIndexes() : await openReading(options)
  if (place.role !== 'worker') sweepImages(options)
  const { limits, quotas, trashDays } = config
  const { parserPool } = options
  const ocr = await openOcr(config)
  const ingest = createIngestForWriter({
    records,
    blobs,
    lifecycle,
    parserPool,
    ocr,
    limits,
    quotas,
    trashDays,
    isWorking: () => coordination.writer.isTaken(),
    reports: coordination.reports,
    clock,
    log,
  })
  open.add('ingest', (graceMs) => ingest.stop(graceMs))
  if (place.role !== 'api') await startWorker({ ...options, blobs, ocr })
  // The worker has just made the index of a new instance. If it can't be opened here, the next check for changes tries again.
  await lifecycle.catchUp?.().catch((error: unknown) => log.warn({ err: error }, 'could not open the search index yet'))
  // The process that writes the index reads the originals, and the records have what it found.
  const scrub = new Scrub({ blobs, records, scrubIndex: async () => {}, days: config.scrubDays, clock, log })
  return {
    blobs,
    lifecycle,
    ingest,
    webhooks: webhooksOf(options),
    originals: () => scrub.state(),
    storeState: () => store.state(),
    runDoctor: ({ subset, wantsFix }, hooks) =>
      runDoctor(
        {
          database: place.database,
          store: place.store,
          settings: doctorSettings({ config }, options.baseUrl()),
          subset,
          wantsFix,
        },
        hooks,
      ),
    backupSource: new BackupSource({
      ...sharedBackupParts({ dataDir: config.dataDir, file: options.settingsFile, server: shared.server, clock, log }),
      writePassages: passagesOfDaemon(lifecycle),
      records,
      blobs,
      version: options.version,
      clock,
      log,
    }),
  }
}

async function openReading(options: SharedPartsOptions): Promise<IndexReading> {
  const { config, records, shared, log, open } = options
  const { coordination } = shared
  const share = shared.place.role === 'all' ? 1 - WRITER_SHARE : 1
  const indexStore = indexStoreOf(options, {
    folder: 'segments',
    memoryBytes: config.searchMemoryBytes * share,
    cacheBytes: config.indexCacheBytes * share,
    threads: SEARCH_THREADS,
    leases: null,
  })
  // Closes after the threads that read from it.
  open.add('cache of the index', () => indexStore.close())
  const indexes = await followIndexes({
    records,
    indexStore,
    versions: coordination.versions,
    reports: coordination.reports,
    modelRequests: coordination.modelRequests,
    isWorking: () => coordination.writer.isTaken(),
    chooseEmbedder: embedderChooser(options),
    checkEveryMs: config.embedderCheckMs,
    log: log.child({ part: 'index' }),
  })
  open.add('search index', () => indexes.close())
  return indexes
}

/** A process deletes only its own images. */
function sweepImages({ records, images, log, open }: SharedPartsOptions): void {
  const task = new BackgroundTask({
    async work() {
      await images.sweep((sha256) => records.documents.isBlobReferenced(sha256))
    },
    onFailure: (error) => log.warn({ err: error }, 'images of deleted documents could not be deleted; trying again later'),
  })
  const timer = setInterval(() => task.start(), SWEEP_MS).unref()
  open.add('sweep of images', async () => {
    clearInterval(timer)
    await task.stop()
  })
}

async function startWorker(options: SharedPartsOptions & Pick<StorageParts, 'blobs'> & { ocr: Ocr | undefined }): Promise<void> {
  const { config, records, blobs, ocr, shared, parserPool, measuring, clock, log, open } = options
  const { coordination, place } = shared
  const { limits, quotas } = config
  const ingest = { records, blobs, parserPool, ocr, limits, quotas, clock, log, telemetry: measuring.telemetry }
  const share = place.role === 'all' ? WRITER_SHARE : 1
  const worker = new IndexWorker({
    coordination,
    read() {
      const reader = createDocumentReader({ ...ingest, queue: coordination.queue })
      // The reader looks for documents every second, not at each event: the writer begins at once, and most events bring nothing to read.
      return { notice: () => reader.nudge(), stop: (graceMs) => reader.stop(graceMs) }
    },
    check: () => refuseNewerIndex(records),
    write: (held) =>
      writeIndex({
        ...options,
        held,
        ingest,
        memoryBytes: config.searchMemoryBytes * share,
        cacheBytes: config.indexCacheBytes * share,
      }),
    log: log.child({ part: 'worker' }),
  })
  await worker.start()
  open.add('worker', (graceMs) => worker.stop(graceMs))
}

/**
 * Throws `data_newer` if a newer version made an index in use. During a rolling upgrade, a process of the former version must not replace
 * it.
 */
async function refuseNewerIndex({ indexes }: Pick<Records, 'indexes'>): Promise<void> {
  const all = await indexes.all()
  const newer = all.some(({ state, fingerprint }) => state !== 'retired' && isOfNewerVersion(parseFingerprint(fingerprint)))
  if (newer)
    throw new DocsearchError(
      'data_newer',
      'A newer version of docsearch made the search index, so this process reads documents but does not write the index. Upgrade this process. See docs/scale.md.',
    )
}

/** The process that writes the index also sends, and looks for messages each second. */
function webhooksOf(options: SharedPartsOptions): WebhookDelivery {
  const delivery = createWebhookDelivery(webhookOptions(options))
  return { ...delivery, nudge() {}, start() {}, stop: async () => {} }
}
