import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createApiKeys } from '../auth/api-keys.ts'
import { createAccounts } from '../auth/create-accounts.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { openBlobs } from '../blobs/files.ts'
import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import { chooseEmbedder } from '../embed/choose.ts'
import { createEmbedderModels } from '../embed/models.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import { startLifecycle } from '../lifecycle/start.ts'
import { createIndexStore } from '../index/index-store.ts'
import { cacheSizes } from '../index/passages/store.ts'
import { divideMemory } from '../index/segments/store/memory.ts'
import { runDoctor } from '../doctor/doctor-process.ts'
import { Scrub } from '../doctor/scrub.ts'
import { createIngest } from '../ingest/create.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { createOAuth } from '../oauth/create.ts'
import { ImageCache } from '../images/image-cache.ts'
import { createPageImages } from '../images/page-images.ts'
import { createOcr } from '../parse/ocr/ocr.ts'
import { createParserPool, type ParserPool } from '../parse/pool/pool.ts'
import { CallQueue } from '../ollama/call-queue.ts'
import type { Records } from '../records/records.ts'
import { chooseReranker } from '../rerank/choose.ts'
import { createSearch } from '../search/create.ts'
import { createWebhookDelivery, type WebhookDelivery } from '../webhooks/create.ts'
import { SearchThreads } from '../search/threads/search-threads.ts'
import { BackupSource } from '../services/backup-source.ts'
import type { Backend } from '../services/create.ts'
import { backupParts, passagesOfDaemon } from './backup-parts.ts'
import type { DataFolder } from './data-folder.ts'
import { diskState, storageState } from './disk.ts'
import { doctorSettings } from './doctor.ts'
import { memoryState } from './memory.ts'
import type { OpenParts } from './open-parts.ts'
import type { OpenTelemetry } from './telemetry.ts'

/** One processor is left to the main thread. */
const SEARCH_THREADS = Math.max(1, availableParallelism() - 1)
const EMBED_MS = 5_000
const RERANK_SLACK_MS = 1_000

interface Options {
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
}

/** Opens everything that the services work with. Each part is added to `open`. */
export async function openBackend(options: Options): Promise<Backend & { rerankerChoice: { reranker: string; reason: string } }> {
  const { config, records, baseUrl, clock, log, open } = options
  const { telemetry, metrics, rates } = options.measuring
  const images = new ImageCache({ folder: join(config.dataDir, 'page-images'), maxBytes: config.pageImageBytes, log })
  const blobs = sweepImagesToo(await openBlobs({ folder: config.dataDir, clock }), images)
  // Embedders and rerankers share one Ollama.
  const queue = new CallQueue({ telemetry })
  const lifecycle = await openLifecycle({ ...options, queue })
  const parserPool = createParserPool({ workers: config.parseWorkers, limits: config.limits, pdfEngine: config.pdfEngine, log })
  open.add('parsers', () => parserPool.close())
  const ingest = await openIngest({ ...options, blobs, lifecycle, parserPool })
  const scrub = startScrub({ ...options, blobs, ingest })
  const { reranker: setting, ollamaUrl, rerank } = config
  const chosen = await chooseReranker({ setting, ollamaUrl, ...rerank, queue, log })
  open.add('reranker', async () => chosen.close())
  // The reranker has its own deadline. The deadline of the search is for a reranker that misses it.
  const deadlines = { embedMs: EMBED_MS, rerankMs: rerank.deadlineMs + RERANK_SLACK_MS }
  const { fusionWeight } = config
  const threads = new SearchThreads({ threads: SEARCH_THREADS, log })
  open.add('search threads', () => threads.close())
  const backupSource = new BackupSource({
    ...backupParts(config.dataDir, { file: options.settingsFile }),
    writePassages: passagesOfDaemon(lifecycle),
    records,
    blobs,
    version: options.version,
    clock,
    log,
  })
  threads.warmUp(lifecycle.active()?.index ?? null)
  return {
    records,
    blobs,
    lifecycle,
    ingest,
    models: createEmbedderModels(ollamaUrl),
    search: createSearch({ records, lifecycle, threads, reranker: chosen.reranker, log, telemetry, deadlines, fusionWeight }),
    pageImages: createPageImages({ blobs, parserPool, cache: images }),
    apiKeys: createApiKeys({ records, clock, maxKeys: config.limits.apiKeys }),
    accounts: createAccounts({ records, clock, loginFailures: config.loginFailures, log }),
    oauth: createOAuth({ records, clock, log, issuer: baseUrl, policy: config.oauth }),
    webhooks: openWebhooks(options),
    disk: () => diskState(config.dataDir),
    storage: () => storageState(config.dataDir, () => images.size()),
    memory: () => memoryState(config.searchMemoryBytes),
    originals: () => scrub.state(),
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
    metrics,
    parsers: () => parserPool.state,
    rates: () => rates.recent(),
    ollamaWaiting: () => queue.waiting,
    reranker: () => chosen.status(),
    rerankerChoice: chosen.choice(),
    maxFileBytes: config.limits.fileBytes,
    maxUploadsInFlight: config.limits.uploadsInFlight,
    maxSynonyms: config.limits.synonyms,
    maxWebhooks: config.limits.webhooks,
    quotas: config.quotas,
    trashDays: config.trashDays,
    auditDays: config.auditDays,
    backupSource,
    backupEveryMs: config.backup.target === null ? null : config.backup.everyMs,
    startedAt: clock.now(),
    clock,
    log,
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

function startScrub({ config, records, blobs, ingest, clock, log, open }: Options & Pick<Backend, 'blobs' | 'ingest'>): Scrub {
  const scrubIndex = (onRead: () => Promise<void>) => ingest.scrubIndex(onRead)
  const scrub = new Scrub({ blobs, records, scrubIndex, days: config.scrubDays, clock, log })
  scrub.start()
  open.add('scrub', () => scrub.stop())
  return scrub
}

function openWebhooks({ config, folder, records, clock, log, open }: Options): WebhookDelivery {
  const delivery = createWebhookDelivery({ records, keyFile: folder.webhookKey, policy: config.webhooks, clock, log })
  delivery.start()
  open.add('webhooks', (graceMs) => delivery.stop(graceMs))
  return delivery
}

async function openLifecycle({ config, folder, records, log, open, queue }: Options & { queue: CallQueue }): Promise<Lifecycle> {
  const lifecycle = await startLifecycle({
    records,
    indexStore: createIndexStore({
      dataDir: folder.dir,
      log,
      memory: divideMemory(config.searchMemoryBytes, SEARCH_THREADS),
      caches: cacheSizes(config.searchMemoryBytes),
    }),
    chooseEmbedder: (existing, named) =>
      chooseEmbedder({ setting: named ?? config.embedder, ollamaUrl: config.ollamaUrl, existing, log, queue }),
    pinned: config.embedder === 'auto' ? null : config.embedder,
    checkEveryMs: config.embedderCheckMs,
    log,
  })
  open.add('lifecycle', () => lifecycle.close())
  return lifecycle
}

async function openIngest(options: Options & Pick<Backend, 'blobs' | 'lifecycle'> & { parserPool: ParserPool }): Promise<Ingest> {
  const { config, records, blobs, lifecycle, parserPool, clock, log, open } = options
  const { telemetry } = options.measuring
  const { limits, quotas, parseWorkers, trashDays } = config
  const ocr =
    config.ocrCommand === null
      ? undefined
      : await createOcr({
          command: config.ocrCommand,
          folder: join(config.dataDir, 'ocr'),
          limitMs: limits.ocrMs,
          // A page with its recognised text is larger than the page alone.
          maxBytes: 2 * limits.fileBytes,
        })
  const ingest = createIngest({
    records,
    blobs,
    lifecycle,
    parserPool,
    ocr,
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
