import { join } from 'node:path'
import { createApiKeys } from '../auth/api-keys.ts'
import { createAccounts } from '../auth/accounts.ts'
import { createEmbedderModels } from '../embed/models.ts'
import { createOAuth } from '../oauth/create.ts'
import { ImageCache } from '../images/image-cache.ts'
import { createPageImages } from '../images/page-images.ts'
import { createParserPool } from '../parse/pool/pool.ts'
import { CallQueue } from '../ollama/call-queue.ts'
import { chooseReranker } from '../rerank/choose.ts'
import { createSearch } from '../search/create.ts'
import { SearchThreads } from '../search/threads/search-threads.ts'
import type { Backend } from '../services/create.ts'
import { diskState, storageState } from './disk.ts'
import { openOwnParts } from './own-parts.ts'
import type { SharedInstance } from './shared-instance.ts'
import { type PartsOptions, SEARCH_THREADS, type StorageParts } from './storage-parts.ts'
import type { Memory } from '../services/instance.ts'

const EMBED_MS = 5_000
const RERANK_SLACK_MS = 1_000

interface Options extends Omit<PartsOptions, 'images' | 'queue' | 'parserPool'> {
  /** Null for an instance in a data folder. */
  shared: SharedInstance | null
}

/** Opens everything that the services work with. Each part is added to `open`. */
export async function openBackend(options: Options): Promise<Backend> {
  const { config, records, baseUrl, clock, log, open } = options
  const { telemetry, metrics, rates } = options.measuring
  const images = new ImageCache({ folder: join(config.dataDir, 'page-images'), maxBytes: config.pageImageBytes, log })
  // Embedders and rerankers share one Ollama.
  const queue = new CallQueue({ telemetry })
  const parserPool = createParserPool({ workers: config.parseWorkers, limits: config.limits, pdfEngine: config.pdfEngine, log })
  open.add('parsers', () => parserPool.close())
  const storage = await openStorage({ ...options, images, queue, parserPool })
  const { blobs, lifecycle } = storage
  const { reranker: setting, ollamaUrl, rerank } = config
  const reranker = await chooseReranker({ setting, ollamaUrl, ...rerank, queue, log })
  open.add('reranker', async () => reranker.close())
  // The reranker has its own deadline. The deadline of the search is for a reranker that misses it.
  const deadlines = { embedMs: EMBED_MS, rerankMs: rerank.deadlineMs + RERANK_SLACK_MS }
  const { fusionWeight } = config
  const threads = new SearchThreads({ threads: SEARCH_THREADS, log })
  open.add('search threads', () => threads.close())
  threads.warmUp(lifecycle.active()?.index ?? null)
  return {
    ...storage,
    records,
    models: createEmbedderModels(ollamaUrl),
    search: createSearch({ records, lifecycle, threads, reranker, log, telemetry, deadlines, fusionWeight }),
    pageImages: createPageImages({ blobs, parserPool, cache: images }),
    apiKeys: createApiKeys({ records, clock, maxKeys: config.limits.apiKeys }),
    accounts: createAccounts({ records, clock, loginFailures: config.loginFailures, counters: options.shared?.counters, log }),
    oauth: createOAuth({ records, clock, log, issuer: baseUrl, policy: config.oauth }),
    disk: () => diskState(config.dataDir),
    storage: () => storageState(config.dataDir, { pageImages: () => images.size(), database: options.shared?.databaseBytes }),
    memory: () => memoryState(config.searchMemoryBytes),
    metrics,
    parsers: () => parserPool.state,
    rates: () => rates.recent(),
    ollamaWaiting: () => queue.waiting,
    reranker: () => reranker.state(),
    maxFileBytes: config.limits.fileBytes,
    maxUploadsInFlight: config.limits.uploadsInFlight,
    maxSynonyms: config.limits.synonyms,
    maxWebhooks: config.limits.webhooks,
    quotas: config.quotas,
    trashDays: config.trashDays,
    auditDays: config.auditDays,
    backupEveryMs: config.backup.target === null ? null : config.backup.everyMs,
    startedAt: clock.now(),
    clock,
    log,
  }
}

/** Loads the code for several processes only for an instance that needs it. */
async function openStorage({ shared, ...options }: PartsOptions & Pick<Options, 'shared'>): Promise<StorageParts> {
  if (shared === null) return openOwnParts(options)
  const { openSharedParts } = await import('./shared-parts.ts')
  return openSharedParts({ ...options, shared })
}

/** Measures the memory of this process. */
function memoryState(forSearch: number): Memory {
  const { rss, heapUsed } = process.memoryUsage()
  return { resident: rss, heap: heapUsed, forSearch }
}
