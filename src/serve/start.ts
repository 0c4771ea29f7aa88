import type { Server } from 'node:http'
import { join } from 'node:path'
import { createAccessTokens } from '../auth/access-tokens.ts'
import { createApiKeys } from '../auth/api-keys.ts'
import { createAuthenticator } from '../auth/authenticator.ts'
import { createAccounts } from '../auth/create-accounts.ts'
import { openBlobs } from '../blobs/files.ts'
import type { CredentialStore } from '../client/credentials/store.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import { chooseEmbedder } from '../embed/choose.ts'
import { createEmbedderModels } from '../embed/models.ts'
import { startLifecycle } from '../lifecycle/start.ts'
import { createApp } from '../http/app.ts'
import { malformedRequests } from '../http/malformed.ts'
import type { Services } from '../http/services.ts'
import { createLanceIndexStore } from '../index/lance.ts'
import { createIngest } from '../ingest/create.ts'
import { createOAuth } from '../oauth/create.ts'
import { createOcr } from '../parse/ocr/ocr.ts'
import { createParserPool } from '../parse/pool/pool.ts'
import { openRecords } from '../records/sql/open.ts'
import { chooseReranker } from '../rerank/choose.ts'
import { createSearch } from '../search/create.ts'
import { openDataFolder } from './data-folder.ts'
import { diskState } from './disk.ts'
import { startSweep } from './expired-rows.ts'
import { ensureLocalKey, ensureOwner } from './first-start.ts'
import { listen } from './listen.ts'

export interface Daemon {
  url: string
  /** Where the owner makes a password; null when that is done. Valid for 30 minutes, once. */
  setupUrl: string | null
  embedder: { embedder: string; reason: string }
  reranker: { reranker: string; reason: string }
  /** Stops taking requests, lets what runs come to an end within `graceMs`, closes everything. */
  stop(graceMs: number): Promise<void>
}

/** What a part gets though the ones before it took all the time there was. */
const LEAST_GRACE_MS = 500
const EMBED_MS = 5_000
const RERANK_SLACK_MS = 1_000

/** The one place where everything is wired. What was opened is closed again when a later step fails. */
export async function startDaemon(options: {
  config: Config
  version: string
  clock: Clock
  log: Logger
  credentials: CredentialStore
}): Promise<Daemon> {
  const { config, version, clock, log, credentials } = options
  const stopping = new AbortController()
  const open: { name: string; close: (graceMs: number) => Promise<void> }[] = []
  const closeAll = async (graceMs: number): Promise<void> => {
    const end = performance.now() + graceMs
    // In the reverse order of opening: nothing loses what it stands on.
    for (const { name, close } of open.splice(0).toReversed()) {
      await close(Math.max(end - performance.now(), LEAST_GRACE_MS)).catch((error: unknown) =>
        log.error({ err: error, part: name }, 'could not be closed'),
      )
    }
  }
  try {
    const folder = await openDataFolder(config.dataDir)
    open.push({ name: 'data folder', close: () => folder.close() })
    const records = await openRecords({ file: folder.database, clock, log })
    open.push({ name: 'records', close: () => records.close() })
    const blobs = await openBlobs({ folder: config.dataDir, clock })
    const owner = await ensureOwner(records)

    const lifecycle = await startLifecycle({
      records,
      indexStore: createLanceIndexStore({ folder: folder.lance, log }),
      chooseEmbedder: (existing, named) =>
        chooseEmbedder({ setting: named ?? config.embedder, ollamaUrl: config.ollamaUrl, existing, log }),
      pinned: config.embedder === 'auto' ? null : config.embedder,
      checkEveryMs: config.embedderCheckMs,
      log,
    })
    open.push({ name: 'lifecycle', close: () => lifecycle.close() })
    const parserPool = createParserPool({ workers: config.parseWorkers, limits: config.limits, pdfEngine: config.pdfEngine, log })
    open.push({ name: 'parsers', close: () => parserPool.close() })
    const ocr =
      config.ocrCommand === null
        ? undefined
        : await createOcr({
            command: config.ocrCommand,
            folder: join(config.dataDir, 'ocr'),
            limitMs: config.limits.ocrMs,
            // A page with its text takes more than the page alone.
            maxBytes: 2 * config.limits.fileBytes,
          })
    const ingest = createIngest({
      records,
      blobs,
      lifecycle,
      parserPool,
      ocr,
      limits: config.limits,
      parseWorkers: config.parseWorkers,
      clock,
      log,
    })
    await ingest.start()
    open.push({ name: 'ingest', close: (graceMs) => ingest.stop(graceMs) })
    const { reranker: setting, ollamaUrl, rerank } = config
    const chosen = await chooseReranker({ setting, ollamaUrl, ...rerank, log })
    open.push({ name: 'reranker', close: async () => chosen.close() })
    const { reranker } = chosen
    // It ends by itself in time; the search's own deadline is for one that does not.
    const deadlines = { embedMs: EMBED_MS, rerankMs: rerank.deadlineMs + RERANK_SLACK_MS }
    const search = createSearch({ records, lifecycle, reranker, log, deadlines, fusionWeight: config.fusionWeight })

    let baseUrl = config.publicUrl ?? ''
    const apiKeys = createApiKeys({ records, clock })
    const accounts = createAccounts({ records, clock, loginFailures: config.loginFailures, log })
    const oauth = createOAuth({ records, clock, log, issuer: () => baseUrl })
    const accessTokens = createAccessTokens({ grants: records.oauth.grants, clients: oauth.clients, log })
    const sweep = startSweep({ records, log })
    open.push({ name: 'sweep of expired rows', close: () => sweep.stop() })
    const services: Services = {
      version,
      clock,
      log,
      records,
      blobs,
      lifecycle,
      ingest,
      models: createEmbedderModels(config.ollamaUrl),
      search,
      apiKeys,
      accounts,
      oauth,
      authenticator: createAuthenticator([apiKeys, accessTokens]),
      disk: () => diskState(config.dataDir),
      reranker: () => chosen.status(),
      startedAt: clock.now(),
      http: {
        baseUrl: () => baseUrl,
        allowedHosts: [...config.allowedHosts, ...(config.publicUrl ? [new URL(config.publicUrl).hostname] : [])],
        trustProxy: config.trustProxy,
        rateLimit: config.rateLimit,
        limits: config.limits,
        stopping: stopping.signal,
      },
    }
    // Koa answers every failure itself; its promise never rejects.
    const handle = createApp(services).callback()
    const { server, url } = await listen((request, response) => void handle(request, response), config.host, config.port)
    server.on('clientError', malformedRequests(clock, services.http.baseUrl))
    open.push({ name: 'server', close: (graceMs) => closeServer(server, graceMs) })
    baseUrl ||= url
    await folder.announce({ pid: process.pid, url, base_url: baseUrl })
    await ensureLocalKey({ owner, apiKeys, credentials, address: url, dataDir: config.dataDir })
    const setupUrl = owner.hasPassword ? null : `${baseUrl}/setup?token=${(await accounts.issueLink(owner.id, 'setup')).token}`
    return {
      url,
      setupUrl,
      embedder: lifecycle.choice(),
      reranker: chosen.choice(),
      async stop(graceMs) {
        stopping.abort()
        await closeAll(graceMs)
      },
    }
  } catch (error) {
    await closeAll(1000)
    throw error
  }
}

/** Requests in flight come to an end, idle connections go at once, what outlasts the grace is cut. */
async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // Also those that become idle from now on: a client may keep one for as long as it likes.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
