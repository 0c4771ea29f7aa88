import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccessTokens, createAuthenticator } from '../../src/auth/auth.ts'
import { createApiKeys } from '../../src/auth/api-keys.ts'
import { rememberCredentials } from '../../src/auth/remembered-credentials.ts'
import { createCredentialWatch } from '../../src/auth/credential-watch.ts'
import { createAccounts } from '../../src/auth/accounts.ts'
import { originalPath } from '../../src/backup/layout.ts'
import type { Blobs } from '../../src/blobs/blobs.ts'
import { openBlobs } from '../../src/blobs/files.ts'
import { DEFAULT_USER_RATE_FACTOR, DEFAULT_LIMITS, type Limits } from '../../src/config/config.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { noTelemetry, type Telemetry } from '../../src/core/telemetry.ts'
import { type Logger, silentLogger } from '../../src/core/logger.ts'
import { SCOPES, type Quotas, type Scope } from '../../src/core/model.ts'
import { DEFAULT_OAUTH_POLICY, type OAuthPolicy } from '../../src/core/oauth-policy.ts'
import { DEFAULT_WEBHOOK_POLICY, type WebhookPolicy } from '../../src/core/webhooks.ts'
import { chooseEmbedder } from '../../src/embed/choose.ts'
import { createEmbedderModels } from '../../src/embed/models.ts'
import { startLifecycle } from '../../src/lifecycle/start.ts'
import { createApp } from '../../src/http/app.ts'
import { MAX_HEADER_BYTES } from '../../src/http/problems/malformed.ts'
import type { Dependencies, HttpSettings } from '../../src/http/dependencies.ts'
import type { PassageIndexStore } from '../../src/index/passage-index.ts'
import { createIndexStore } from '../../src/index/index-store.ts'
import { createIngest } from '../../src/ingest/create.ts'
import type { FetchDocument } from '../../src/oauth/client-documents.ts'
import { createOAuth } from '../../src/oauth/create.ts'
import { ImageCache } from '../../src/images/image-cache.ts'
import { createPageImages } from '../../src/images/page-images.ts'
import { createParserPool, type ParserPool } from '../../src/parse/pool/pool.ts'
import { NO_QUOTAS } from '../../src/records/quotas.ts'
import type { Records } from '../../src/records/records.ts'
import { createFusedReranker, type Reranker } from '../../src/rerank/reranker.ts'
import { createSearch } from '../../src/search/create.ts'
import { SearchThreads } from '../../src/search/threads/search-threads.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { Rates } from '../../src/telemetry/rates.ts'
import { SlowSearches } from '../../src/telemetry/slow-searches.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { backupParts, passagesOfDaemon } from '../../src/serve/backup-parts.ts'
import type { SharedInstance } from '../../src/serve/shared-instance.ts'
import type { StorageParts } from '../../src/serve/storage-parts.ts'
import { BackupSource } from '../../src/services/backup-source.ts'
import { createServices, type Backend } from '../../src/services/create.ts'
import { createWebhookDelivery } from '../../src/webhooks/create.ts'
import type { OpenTelemetry } from '../../src/serve/telemetry.ts'
import { apiClient, type ApiClient } from './api-client.ts'
import { areOnServers } from './on-servers.ts'
import { openDatabase } from './open-database.ts'
import { parserPool as sharedPool } from './parser-pool.ts'

export interface TestApp {
  url: string
  /** The public URL, or `url`. */
  baseUrl: string
  /** The data folder. */
  folder: string
  /** The parts behind the services, to prepare or check a state. */
  backend: Backend
  /** The records that the worker uses. On servers, they are not those of `backend`. */
  workerRecords: Records
  /** Two users who share nothing, each with a key that has all scopes. */
  alice: ApiClient
  bob: ApiClient
  /** A client without a credential. */
  stranger: ApiClient
  /** Returns a client with a key of Alice's that has only these scopes. */
  aliceWith(...scopes: Scope[]): Promise<ApiClient>
  /** Returns the files of request bodies that are being received. */
  received(): Promise<string[]>
  /** The file of the SQLite database, or the address of the PostgreSQL database. */
  database: string
  /** Opens the records as another process would, such as an offline command. */
  openElsewhere(): Promise<Records>
  /** Deletes an original from the disk or the store, as a fault would. */
  loseOriginal(sha256: string): Promise<void>
  /** Opens the originals as after a restart, so that none of them is too new for a sweep. */
  blobsAfterRestart(): Promise<Blobs>
  /** Stops reading documents, so that new documents stay in the queue. */
  stopReading(): Promise<void>
  /** Ends long answers, as the daemon does when it stops. */
  beginStop(): void
  close(): Promise<void>
}

export interface TestAppOptions {
  /** Default: 30, as for an instance. */
  trashDays?: number
  limits?: Partial<Limits>
  quotas?: Partial<Quotas>
  http?: Partial<Pick<HttpSettings, 'rateLimit' | 'userRateLimit' | 'allowedHosts' | 'trustProxy'>>
  publicUrl?: string
  /** A path of the public URL, such as `/docs`. `url` then ends with it. */
  basePath?: string
  oauth?: Partial<OAuthPolicy>
  /** Default: only https on the internet. */
  webhooks?: Partial<WebhookPolicy>
  /** Milliseconds for one attempt, only on a data folder. Default: as for an instance. */
  webhookTimeoutMs?: number
  /** Where documents of applications come from. Default: the internet. */
  fetchDocument?: FetchDocument
  /** How many bytes of images of pages to keep. Default here: 100 MB. */
  pageImageBytes?: number
  /** Failed logins allowed in 15 minutes. Default here: 0, no limit. */
  loginFailures?: number
  /** How often the credentials of open requests are looked up. */
  credentialCheckMs?: number
  log?: Logger
  /** From how many milliseconds on a search is logged as slow. Default here: 0, never. */
  slowSearchMs?: number
  /** Where spans go. */
  trace?: Telemetry['trace']
  clock?: Clock
  /** Default: an address where nothing listens. */
  ollamaUrl?: string
  /** Only on a data folder. Default: an index in the folder. */
  indexStore?: PassageIndexStore
  /** Default: the fused order. */
  reranker?: Reranker
  /** How often the instance takes backups by itself. Default: never. */
  backupEveryMs?: number
  /** Replaces parts of the backend, for example with a full disk or a broken search. */
  change?: (backend: Backend) => Partial<Backend>
}

const NOWHERE = 'http://127.0.0.1:9'

/** Starts the real services on a new folder, behind createApp on a free loopback port. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-http-'))
  const clock = options.clock ?? systemClock
  const log = options.log ?? silentLogger
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits }
  const quotas = { ...NO_QUOTAS, ...options.quotas }
  const stopping = new AbortController()
  const ownPool = (options.limits || options.log) && createParserPool({ workers: 1, limits, pdfEngine: 'pdfium', log })
  const parserPool = ownPool ?? sharedPool
  const [metrics, rates] = [new Metrics({ version: '0.0.0-test' }), new Rates()]
  const slow = new SlowSearches({ slowMs: options.slowSearchMs ?? 0, log })
  const telemetry = createTelemetry([metrics, rates, slow], options.trace ?? noTelemetry.trace)
  const trashDays = options.trashDays ?? 30
  const measuring = { telemetry, metrics, rates, close: async () => {} }
  const parts = { folder, options, limits, quotas, trashDays, parserPool, clock, log, measuring }
  const { records, storage, shared, closeStorage, ...onlyForTests } = await openStorage(parts)
  const { blobs, lifecycle } = storage
  const reranker = options.reranker ?? createFusedReranker()
  const threads = new SearchThreads({ threads: 1, log })
  const apiKeys = createApiKeys({ records, clock, maxKeys: limits.apiKeys })

  let url = ''
  const oauth = createOAuth({
    records,
    clock,
    log,
    issuer: () => options.publicUrl ?? url,
    policy: { ...DEFAULT_OAUTH_POLICY, ...options.oauth },
    fetchDocument: options.fetchDocument,
  })
  const accounts = createAccounts({ records, clock, loginFailures: options.loginFailures ?? 0, counters: shared?.counters, log })
  const backend: Backend = {
    clock,
    log,
    records,
    ...storage,
    models: createEmbedderModels(options.ollamaUrl ?? NOWHERE),
    search: createSearch({ records, lifecycle, threads, reranker, log, telemetry }),
    pageImages: createPageImages({
      blobs,
      parserPool,
      cache: new ImageCache({ folder: join(folder, 'page-images'), maxBytes: options.pageImageBytes ?? 1e8, log }),
    }),
    apiKeys,
    accounts,
    oauth,
    disk: async () => ({ ok: true, message: 'enough', freeBytes: 1e12, totalBytes: 2e12 }),
    storage: async () => ({ folder, database: 1e6, pageImages: 0, free: 1e12, total: 2e12 }),
    metrics,
    parsers: () => parserPool.state,
    ollamaWaiting: () => ({ query: 0, rerank: 0, batch: 0 }),
    rates: () => rates.recent(),
    memory: () => ({ resident: 2e8, heap: 1e8, forSearch: 5e8 }),
    reranker: () => reranker.state(),
    maxFileBytes: limits.fileBytes,
    maxUploadsInFlight: limits.uploadsInFlight,
    maxSynonyms: limits.synonyms,
    maxWebhooks: limits.webhooks,
    quotas,
    trashDays,
    auditDays: 90,
    backupEveryMs: options.backupEveryMs ?? null,
    startedAt: clock.now(),
  }
  Object.assign(backend, options.change?.({ ...backend }))
  const dependencies: Dependencies = {
    ...createServices(backend),
    accounts: backend.accounts,
    oauth,
    authenticator: createAuthenticator([
      apiKeys,
      createAccessTokens({ grants: records.oauth.grants, applications: oauth.applications, log }),
    ]),
    credentials: createCredentialWatch({ records: backend.records, everyMs: options.credentialCheckMs ?? 20, log }),
    settings: {
      baseUrl: () => options.publicUrl ?? url,
      allowedHosts: [],
      trustProxy: false,
      rateLimit: 0,
      userRateLimit: DEFAULT_USER_RATE_FACTOR * (options.http?.rateLimit ?? 0),
      limits,
      counters: shared?.counters,
      keptViews: shared?.coordination.shownOnce,
      stopping: stopping.signal,
      ...options.http,
    },
    clock,
    log,
    telemetry,
    version: '0.0.0-test',
  }
  const handle = createApp(dependencies).callback()
  // Koa answers its own failures, so nothing has to await the promise.
  const server = createServer(
    { requestTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES },
    (request, response) => void handle(request, response),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${options.basePath ?? ''}`

  const newKey = async (ownerId: string, scopes: readonly Scope[]) =>
    (await apiKeys.create({ ownerId, name: 'for the test', scopes, expiresAt: null })).key
  const alice = await records.users.create({ name: 'Alice', email: 'alice@example.org', role: 'owner' })
  const bob = await records.users.create({ name: 'Bob', email: 'bob@example.org', role: 'member' })

  return {
    url,
    baseUrl: options.publicUrl ?? url,
    folder,
    backend,
    alice: apiClient(url, await newKey(alice.id, SCOPES)),
    bob: apiClient(url, await newKey(bob.id, SCOPES)),
    stranger: apiClient(url, null),
    aliceWith: async (...scopes) => apiClient(url, await newKey(alice.id, scopes)),
    received: () => readdir(blobs.incoming),
    ...onlyForTests,
    openElsewhere: () => openDatabase(onlyForTests.database, { clock, log }),
    beginStop: () => stopping.abort(),
    async close() {
      stopping.abort()
      await closeServer(server)
      await closeStorage()
      await ownPool?.close()
      await threads.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface StorageOptions {
  folder: string
  options: TestAppOptions
  limits: Limits
  quotas: Quotas
  trashDays: number
  parserPool: ParserPool
  clock: Clock
  log: Logger
  measuring: OpenTelemetry
}

interface OpenStorage extends Pick<TestApp, 'workerRecords' | 'database' | 'loseOriginal' | 'blobsAfterRestart' | 'stopReading'> {
  records: Records
  storage: StorageParts
  shared: SharedInstance | null
  closeStorage(): Promise<void>
}

/** Opens a data folder, or with DOCSEARCH_TEST_SHARED an instance that could have several processes. */
async function openStorage(parts: StorageOptions): Promise<OpenStorage> {
  const { folder, options, limits, quotas, trashDays, parserPool, clock, log, measuring } = parts
  const ollamaUrl = options.ollamaUrl ?? NOWHERE
  const policy = { ...DEFAULT_WEBHOOK_POLICY, ...options.webhooks }
  const config = { limits, quotas, trashDays, webhooks: policy }
  if (areOnServers()) {
    const { openOnServers } = await import('./shared-place.ts')
    const place = await openOnServers({ folder, config, parserPool, ollamaUrl, measuring, clock, log })
    return { ...place, records: rememberCredentials(place.shared.records, clock) }
  }
  const database = join(folder, 'docsearch.db')
  const records = rememberCredentials(await openDatabase(database, { clock, log }), clock)
  const blobs = await openBlobs({ folder, clock })
  const lifecycle = await startLifecycle({
    records,
    indexStore: options.indexStore ?? createIndexStore({ dataDir: folder, log }),
    // Nothing listens at NOWHERE, unless the test has an Ollama.
    chooseEmbedder: async (existing, named = 'builtin') => chooseEmbedder({ setting: named, ollamaUrl, existing, log }),
    log,
  })
  const ingest = createIngest({
    records,
    blobs,
    lifecycle,
    parserPool,
    limits,
    quotas,
    trashDays,
    clock,
    log,
    telemetry: measuring.telemetry,
  })
  await ingest.start()
  const webhooks = createWebhookDelivery({
    records,
    key: { file: join(folder, 'webhook.key') },
    policy,
    clock,
    log,
    timeoutMs: options.webhookTimeoutMs,
  })
  webhooks.start()
  const storage: StorageParts = {
    blobs,
    lifecycle,
    ingest,
    webhooks,
    storeState: () => null,
    originals: async () => ({ status: 'ok', message: 'No original is damaged.', damaged: 0, checkedAt: null }),
    runDoctor: async () => ({ checks: [], findings: [] }),
    backupSource: new BackupSource({
      ...backupParts(folder, { file: join(folder, 'config.json') }),
      writePassages: passagesOfDaemon(lifecycle),
      records,
      blobs,
      version: '0.0.0-test',
      clock,
      log,
    }),
  }
  return {
    records,
    workerRecords: records,
    storage,
    shared: null,
    database,
    loseOriginal: (sha256) => rm(join(folder, originalPath(sha256))),
    blobsAfterRestart: () => openBlobs({ folder, clock }),
    stopReading: () => ingest.stop(5_000),
    async closeStorage() {
      await webhooks.stop(1_000)
      await ingest.stop(5_000)
      await lifecycle.close()
      await records.close()
    },
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
