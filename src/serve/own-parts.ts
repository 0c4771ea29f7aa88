import type { Blobs } from '../blobs/blobs.ts'
import { openBlobs } from '../blobs/files.ts'
import { runDoctor } from '../doctor/doctor-process.ts'
import { Scrub } from '../doctor/scrub.ts'
import { createIndexStore } from '../index/index-store.ts'
import { cacheSizes } from '../index/passages/store.ts'
import { divideMemory } from '../index/segments/store/memory.ts'
import type { ImageCache } from '../images/image-cache.ts'
import { createIngest } from '../ingest/create.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import { startLifecycle } from '../lifecycle/start.ts'
import { BackupSource } from '../services/backup-source.ts'
import { createWebhookDelivery, type WebhookDelivery } from '../webhooks/create.ts'
import { backupParts, passagesOfDaemon } from './backup-parts.ts'
import { doctorSettings } from './doctor.ts'
import { embedderChooser, openOcr, type PartsOptions, SEARCH_THREADS, type StorageParts } from './storage-parts.ts'

/** Opens what an instance keeps in its data folder. */
export async function openOwnParts(options: PartsOptions): Promise<StorageParts> {
  const { config, records, baseUrl, clock, log, images } = options
  const blobs = sweepImagesToo(await openBlobs({ folder: config.dataDir, clock }), images)
  const lifecycle = await openLifecycle(options)
  const ingest = await openIngest({ ...options, blobs, lifecycle })
  const scrub = startScrub({ ...options, blobs, ingest })
  return {
    blobs,
    lifecycle,
    ingest,
    webhooks: openWebhooks(options),
    originals: () => scrub.state(),
    storeState: () => null,
    runDoctor: ({ subset, wantsFix }, hooks) =>
      runDoctor(
        {
          dataDir: config.dataDir,
          settings: doctorSettings({ config }, baseUrl()),
          subset,
          wantsFix,
          isAlone: false,
          leavesIndexToParent: true,
        },
        hooks,
      ),
    backupSource: new BackupSource({
      ...backupParts(config.dataDir, { file: options.settingsFile }),
      writePassages: passagesOfDaemon(lifecycle),
      records,
      blobs,
      version: options.version,
      clock,
      log,
    }),
  }
}

/** Deletes the images of a document's pages together with its original. */
function sweepImagesToo(blobs: Blobs, images: ImageCache): Blobs {
  return {
    incoming: blobs.incoming,
    put: blobs.put.bind(blobs),
    withFile: blobs.withFile.bind(blobs),
    open: blobs.open.bind(blobs),
    size: blobs.size.bind(blobs),
    verify: blobs.verify.bind(blobs),
    async sweep(isReferenced) {
      const deleted = await blobs.sweep(isReferenced)
      await images.sweep(isReferenced)
      return deleted
    },
  }
}

function startScrub({
  config,
  records,
  blobs,
  ingest,
  clock,
  log,
  open,
}: PartsOptions & Pick<StorageParts, 'blobs' | 'ingest'>): Scrub {
  const scrubIndex = (onRead: () => Promise<void>) => ingest.scrubIndex(onRead)
  const scrub = new Scrub({ blobs, records, scrubIndex, days: config.scrubDays, clock, log })
  scrub.start()
  open.add('scrub', () => scrub.stop())
  return scrub
}

function openWebhooks({ config, folder, records, clock, log, open }: PartsOptions): WebhookDelivery {
  const delivery = createWebhookDelivery({ records, key: { file: folder.webhookKey }, policy: config.webhooks, clock, log })
  delivery.start()
  open.add('webhooks', (graceMs) => delivery.stop(graceMs))
  return delivery
}

async function openLifecycle(options: PartsOptions): Promise<Lifecycle> {
  const { config, folder, records, log, open } = options
  const lifecycle = await startLifecycle({
    records,
    indexStore: createIndexStore({
      dataDir: folder.dir,
      log,
      memory: divideMemory(config.searchMemoryBytes, SEARCH_THREADS),
      caches: cacheSizes(config.searchMemoryBytes),
    }),
    chooseEmbedder: embedderChooser(options),
    pinned: config.embedder === 'auto' ? null : config.embedder,
    checkEveryMs: config.embedderCheckMs,
    log,
  })
  open.add('lifecycle', () => lifecycle.close())
  return lifecycle
}

async function openIngest(options: PartsOptions & { blobs: Blobs; lifecycle: Lifecycle }): Promise<Ingest> {
  const { config, records, blobs, lifecycle, parserPool, clock, log, open } = options
  const { telemetry } = options.measuring
  const { limits, quotas, parseWorkers, trashDays } = config
  const ingest = createIngest({
    records,
    blobs,
    lifecycle,
    parserPool,
    ocr: await openOcr(config),
    limits,
    quotas,
    trashDays,
    parseWorkers,
    clock,
    log,
    telemetry,
  })
  await ingest.start()
  open.add('ingest', (graceMs) => ingest.stop(graceMs))
  return ingest
}
