import { statfs } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createAccessTokens, createAuthenticator } from '../auth/auth.ts'
import { createCredentialWatch } from '../auth/credential-watch.ts'
import { rememberCredentials } from '../auth/remembered-credentials.ts'
import type { CredentialStore } from '../client/credentials/store.ts'
import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load.ts'
import { passwordLinkAddress } from '../contract/addresses.ts'
import type { Clock } from '../core/clock.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { RerankerState, User } from '../core/model.ts'
import { networkFileSystem } from '../core/network-file-system.ts'
import { hashSecret } from '../core/secrets.ts'
import { createApp, createWorkerApp, createMetricsApp } from '../http/app.ts'
import type { HttpSettings } from '../http/dependencies.ts'
import { malformedRequests } from '../http/problems/malformed.ts'
import type { Records } from '../records/records.ts'
import { openRecords } from '../records/sql/open.ts'
import { type Backend, createServices } from '../services/create.ts'
import type { Metrics } from '../services/metrics.ts'
import { openBackend } from './backend.ts'
import { type DataFolder, openDataFolder } from './data-folder.ts'
import { startSweep } from './expired-rows.ts'
import { ensureLocalKey, ensureOwner } from './first-start.ts'
import { closeServer, listen, listenLocally } from './listen.ts'
import { OpenParts } from './open-parts.ts'
import { checkTarget, startSchedule } from './scheduled-backups.ts'
import { openSharedInstance, refuseDataFolder, type SharedInstance } from './shared-instance.ts'
import { openTelemetry } from './telemetry.ts'

export interface Daemon {
  url: string
  /** The address of the listener for metrics; null if there is none. */
  metricsUrl: string | null
  /** Opens the page where the owner sets a password, once and within 30 minutes; null when the owner has one. */
  setupUrl: string | null
  embedder: { embedder: string; reason: string }
  reranker: RerankerState
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

/** A link to set the first password lasts this long. */
const SETUP_LINK_MS = 30 * 60_000
/** Settings whose values may differ between the processes of one instance. */
const OF_A_PROCESS: ReadonlySet<string> = new Set(['host', 'port', 'role', 'metrics.listen', 'parse.workers', 'search.memory_mb'])

interface BackupParts extends Omit<Parameters<typeof startSchedule>[0], 'config'> {
  config: Pick<Config, 'backup'>
}

async function start(options: StartOptions, open: OpenParts): Promise<Daemon> {
  const { loaded, version, clock, log, env } = options
  const { config } = loaded
  const stopping = new AbortController()
  let baseUrl = config.publicUrl ?? ''
  checkTarget(config.backup, config.dataDir)
  if (config.shared !== null) refuseDataFolder(config.dataDir)
  const folder = await openDataFolder(config.dataDir)
  open.add('data folder', () => folder.close())
  await warnAboutMachine(config, log)
  const measuring = await openTelemetry({ config, version, log, env })
  open.add('telemetry', (graceMs) => measuring.close(graceMs))
  const { records, shared } = await openAllRecords(options, folder, open)
  const isWorker = shared?.place.role === 'worker'
  const first = isWorker ? null : await beginInstance(options, records)
  const backend = await openBackend({
    config,
    settingsFile: loaded.file,
    version,
    folder,
    records,
    shared,
    baseUrl: () => baseUrl,
    clock,
    log,
    measuring,
    open,
  })
  // With several processes, the one that writes the index does what must happen only once.
  if (shared === null) {
    const sweep = startSweep({ records, clock, log, auditDays: config.auditDays })
    open.add('sweep of expired rows', () => sweep.stop())
  }
  const settings: HttpSettings = {
    ...httpSettings(config, () => baseUrl, stopping.signal),
    counters: shared?.counters,
    keptViews: shared?.coordination.shownOnce,
  }
  const services = createServices(backend)
  const parts = {
    ...services,
    ...credentialParts(backend, options),
    settings,
    clock,
    log,
    telemetry: measuring.telemetry,
    version,
  }
  // Koa answers every failure itself, so its promise never rejects.
  const handle = (isWorker ? createWorkerApp(parts) : createApp(parts)).callback()
  const handler: RequestListener = (request, response) => void handle(request, response)
  const { server, url } = await listen(handler, config.host, config.port)
  server.on('clientError', malformedRequests(clock, settings.baseUrl))
  open.add('server', (graceMs) => closeServer(server, graceMs))
  baseUrl ||= url
  const metricsUrl = await serveMetrics({ config, metrics: services.metrics, settings, log, open })
  const socket = isWorker ? {} : await serveLocally({ handler, config, env, clock, settings, log, open })
  scheduleBackups({ config, records, source: backend.backupSource, clock, log }, open)
  await folder.announce({ pid: process.pid, url, base_url: baseUrl, ...socket })
  return {
    url,
    metricsUrl,
    setupUrl: first && (await finishFirstStart(options, { ...first, backend, url, baseUrl })),
    embedder: backend.lifecycle.choice(),
    reranker: backend.reranker(),
    async stop(graceMs) {
      stopping.abort()
      await open.closeAll(graceMs)
    },
  }
}

/** Warns about what makes damage more likely, or worse. */
async function warnAboutMachine({ dataDir, shared }: Pick<Config, 'dataDir' | 'shared'>, log: Logger): Promise<void> {
  if (process.getuid?.() === 0)
    log.warn({}, 'docsearch runs as root but does not need to. Run it as a separate user. `docs/deployment.md` says how.')
  const disk = shared === null ? await statfs(dataDir).catch(() => null) : null
  const network = disk && networkFileSystem(disk.type)
  if (network !== null)
    log.warn(
      { folder: dataDir, file_system: network },
      'the data folder is on a network file system, where locking and syncing files are not reliable, so the database can be damaged. Move it to a disk of this machine.',
    )
}

/** Opens the records of a data folder, or of an instance with several processes. */
async function openAllRecords(
  { loaded: { config }, version, clock, log, say }: StartOptions,
  folder: DataFolder,
  open: OpenParts,
): Promise<{ records: Records; shared: SharedInstance | null }> {
  const isAudited = config.auditDays > 0
  const upgrade = { version, notify: say }
  const shared = config.shared && (await openSharedInstance({ place: config.shared, isAudited, upgrade, clock, log, open }))
  const opened = shared?.records ?? (await openRecords({ file: folder.database, clock, log, isAudited, upgrade }))
  const records = rememberCredentials(opened, clock)
  open.add('records', () => records.close())
  return { records, shared }
}

interface FirstStart {
  owner: User
  /** This process has created the owner. */
  isNew: boolean
}

async function beginInstance({ loaded, log }: StartOptions, records: Records): Promise<FirstStart> {
  const first = await ensureOwner(records)
  const values = loaded.config.shared === null ? loaded.values : loaded.values.filter(({ key }) => !OF_A_PROCESS.has(key))
  await recordSettings(records, values, log)
  return first
}

function credentialParts({ records, accounts, apiKeys, oauth }: Backend, { log }: StartOptions) {
  const accessTokens = createAccessTokens({ grants: records.oauth.grants, applications: oauth.applications, log })
  return {
    accounts,
    oauth,
    authenticator: createAuthenticator([apiKeys, accessTokens]),
    credentials: createCredentialWatch({ records, log }),
  }
}

/** Returns the fact about the socket to announce. */
async function serveLocally(options: {
  handler: RequestListener
  config: Config
  env: StartOptions['env']
  clock: Clock
  settings: HttpSettings
  log: Logger
  open: OpenParts
}): Promise<{ socket?: string }> {
  const { handler, config, env, clock, settings, log, open } = options
  const local = await listenLocally(handler, { dataDir: config.dataDir, runtimeDir: env['XDG_RUNTIME_DIR'], log })
  if (local === null) return {}
  local.server.on('clientError', malformedRequests(clock, settings.baseUrl))
  open.add('local socket', async (graceMs) => {
    await closeServer(local.server, graceMs)
    await local.remove()
  })
  return { socket: local.path }
}

/** Gives the local command line a key. Returns the link with which the owner sets a password. */
async function finishFirstStart(
  { loaded: { config }, credentials, clock, log }: StartOptions,
  parts: FirstStart & { backend: Backend; url: string; baseUrl: string },
): Promise<string | null> {
  const { owner, isNew, backend, url, baseUrl } = parts
  const { apiKeys, accounts } = backend
  const { dataDir } = config
  // Processes of one instance come and go with their folders. If each created a key, each start would leave one behind.
  const mayCreate = config.shared === null || isNew
  await ensureLocalKey({ owner, apiKeys, credentials, address: url, dataDir, mayCreate, log })
  // A new link would invalidate the link that another process has just shown.
  const isShown = config.shared !== null && !isNew && clock.now().getTime() - owner.createdAt.getTime() < SETUP_LINK_MS
  if (owner.hasPassword || isShown) return null
  const { token } = await accounts.issueLink(owner.id, 'setup')
  return passwordLinkAddress(baseUrl, token)
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

/**
 * Records in the audit log which settings are other than at the last start. The log gets their names, and the records keep only hashes of their
 * values, because a value can contain a password.
 */
export async function recordSettings(
  { audit }: Pick<Records, 'audit'>,
  values: LoadedConfig['values'],
  log: Logger,
): Promise<void> {
  // A default can change with the machine or with docsearch itself.
  const chosen = values.filter(({ key, source }) => source !== 'default' && key !== 'data')
  const hashes = chosen.map(({ key, value }) => [key, hashSecret(JSON.stringify(value))] as const)
  try {
    await audit.recordSettings(Object.fromEntries(hashes))
  } catch (error) {
    log.warn({ err: error }, 'could not record changed settings')
  }
}

/** Listens on `metrics.listen`, if it is set. Returns the address of the metrics. Throws `port_in_use`, `cannot_listen`. */
async function serveMetrics(options: {
  config: Pick<Config, 'metricsListen'>
  metrics: Metrics
  settings: Pick<HttpSettings, 'allowedHosts' | 'baseUrl'>
  log: Logger
  open: OpenParts
}): Promise<string | null> {
  const { config, metrics, settings, log, open } = options
  if (config.metricsListen === null) return null
  const { host, port } = config.metricsListen
  const handle = createMetricsApp({ metrics, settings, log: log.child({ part: 'metrics' }) }).callback()
  // Koa answers every failure itself, so its promise never rejects.
  const handler: RequestListener = (request, response) => void handle(request, response)
  const { server, url } = await listen(handler, host, port).catch((error: unknown) => {
    if (!isDocsearchError(error)) throw error
    throw new DocsearchError(error.code, `The metrics cannot be served (metrics.listen): ${causeOf(error)}`, { cause: error })
  })
  open.add('listener for metrics', (graceMs) => closeServer(server, graceMs))
  return `${url}/metrics`
}

/** The reason without advice about --host and --port, which do not concern this listener. */
function causeOf({ cause, message }: Error): string {
  return cause instanceof Error ? `${cause.message}.` : message
}
