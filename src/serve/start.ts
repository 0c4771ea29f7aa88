import type { RequestListener } from 'node:http'
import { createAccessTokens } from '../auth/access-tokens.ts'
import { createCredentialWatch } from '../auth/credential-watch.ts'
import { createAuthenticator } from '../auth/authenticator.ts'
import { rememberCredentials } from '../auth/remembered-credentials.ts'
import type { CredentialStore } from '../client/credentials/store.ts'
import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load.ts'
import { passwordLinkAddress } from '../contract/addresses.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { User } from '../core/model.ts'
import { createApp } from '../http/app.ts'
import type { HttpSettings } from '../http/dependencies.ts'
import { malformedRequests } from '../http/problems/malformed.ts'
import { openRecords } from '../records/sql/open.ts'
import { createServices, type Backend } from '../services/create.ts'
import { recordSettings } from './audited-settings.ts'
import { openBackend } from './backend.ts'
import { serveMetrics } from './metrics-listener.ts'
import { openTelemetry } from './telemetry.ts'
import { openDataFolder } from './data-folder.ts'
import { startSweep } from './expired-rows.ts'
import { ensureLocalKey, ensureOwner } from './first-start.ts'
import { closeServer, listen } from './listen.ts'
import { listenLocally } from './local-socket.ts'
import { OpenParts } from './open-parts.ts'
import { checkTarget, startSchedule } from './scheduled-backups.ts'

export interface Daemon {
  url: string
  /** The address of the listener for metrics; null if there is none. */
  metricsUrl: string | null
  /** Opens the page where the owner sets a password, once and within 30 minutes; null when the owner has one. */
  setupUrl: string | null
  embedder: { embedder: string; reason: string }
  reranker: { reranker: string; reason: string }
  /** Stops taking requests, gives running work `graceMs` to complete, and closes everything. */
  stop(graceMs: number): Promise<void>
}

interface StartOptions {
  loaded: LoadedConfig
  version: string
  clock: Clock
  log: Logger
  /** Prints one line for the user. */
  say: (line: string) => void
  credentials: CredentialStore
  /** Has XDG_RUNTIME_DIR, for a data folder that cannot contain a socket, and the variables of OpenTelemetry. */
  env: Readonly<Record<string, string | undefined>>
}

/** Opens and connects all parts, and listens. When a step fails, the parts that were opened before it are closed again. */
export async function startDaemon(options: StartOptions): Promise<Daemon> {
  const open = new OpenParts(options.log)
  try {
    return await start(options, open)
  } catch (error) {
    await open.closeAll(1000)
    throw error
  }
}

interface BackupParts extends Omit<Parameters<typeof startSchedule>[0], 'config'> {
  config: Pick<Config, 'backup'>
}

async function start(options: StartOptions, open: OpenParts): Promise<Daemon> {
  const { loaded, version, clock, log, say, credentials, env } = options
  const { config, values } = loaded
  const stopping = new AbortController()
  let baseUrl = config.publicUrl ?? ''
  checkTarget(config.backup, config.dataDir)
  const folder = await openDataFolder(config.dataDir)
  open.add('data folder', () => folder.close())
  const measuring = await openTelemetry({ config, version, log, env })
  open.add('telemetry', (graceMs) => measuring.close(graceMs))
  const isAudited = config.auditDays > 0
  const upgrade = { version, notify: say }
  const records = rememberCredentials(await openRecords({ file: folder.database, clock, log, isAudited, upgrade }), clock)
  open.add('records', () => records.close())
  const owner = await ensureOwner(records)
  await recordSettings(records, values, log)
  const backend = await openBackend({
    config,
    settingsFile: loaded.file,
    version,
    folder,
    records,
    baseUrl: () => baseUrl,
    clock,
    log,
    measuring,
    open,
  })
  const { accounts, apiKeys, oauth } = backend
  const sweep = startSweep({ records, clock, log, auditDays: config.auditDays })
  open.add('sweep of expired rows', () => sweep.stop())

  const accessTokens = createAccessTokens({ grants: records.oauth.grants, applications: oauth.applications, log })
  const settings = httpSettings(config, () => baseUrl, stopping.signal)
  const services = createServices(backend)
  const app = createApp({
    ...services,
    authenticator: createAuthenticator([apiKeys, accessTokens]),
    credentials: createCredentialWatch({ records, log }),
    accounts,
    oauth,
    settings,
    clock,
    log,
    telemetry: measuring.telemetry,
    version,
  })
  // Koa answers every failure itself, so its promise never rejects.
  const handle = app.callback()
  const handler: RequestListener = (request, response) => void handle(request, response)
  const { server, url } = await listen(handler, config.host, config.port)
  server.on('clientError', malformedRequests(clock, settings.baseUrl))
  open.add('server', (graceMs) => closeServer(server, graceMs))
  baseUrl ||= url
  const metricsUrl = await serveMetrics({ config, metrics: services.metrics, settings, log, open })
  const local = await listenLocally(handler, { dataDir: config.dataDir, runtimeDir: env['XDG_RUNTIME_DIR'], log })
  if (local !== null) {
    local.server.on('clientError', malformedRequests(clock, settings.baseUrl))
    open.add('local socket', async (graceMs) => {
      await closeServer(local.server, graceMs)
      await local.remove()
    })
  }
  scheduleBackups({ config, records, source: backend.backupSource, clock, log }, open)
  await folder.announce({ pid: process.pid, url, base_url: baseUrl, ...(local !== null && { socket: local.path }) })
  await ensureLocalKey({ owner, apiKeys, credentials, address: url, dataDir: config.dataDir, log })
  return {
    url,
    metricsUrl,
    setupUrl: await setupUrl(owner, accounts, baseUrl),
    embedder: backend.lifecycle.choice(),
    reranker: backend.rerankerChoice,
    async stop(graceMs) {
      stopping.abort()
      await open.closeAll(graceMs)
    },
  }
}

function scheduleBackups({ config: { backup }, ...parts }: BackupParts, open: OpenParts): void {
  const { target } = backup
  if (target === null) return
  const schedule = startSchedule({ config: { ...backup, target }, ...parts })
  open.add('scheduled backups', () => schedule.stop())
}

function httpSettings(config: Config, baseUrl: () => string, stopping: AbortSignal): HttpSettings {
  const { publicUrl, allowedHosts, trustProxy, rateLimit, userRateLimit, limits } = config
  const hosts = [...allowedHosts, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])]
  return { baseUrl, allowedHosts: hosts, trustProxy, rateLimit, userRateLimit, limits, stopping }
}

async function setupUrl(owner: User, accounts: Backend['accounts'], baseUrl: string): Promise<string | null> {
  if (owner.hasPassword) return null
  const { token } = await accounts.issueLink(owner.id, 'setup')
  return passwordLinkAddress(baseUrl, token)
}
