import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { CONFIG, DATABASE, VECTORS, WEBHOOK_KEY } from '../backup/layout.ts'
import { BACKUP_FORMAT_VERSION } from '../backup/manifest.ts'
import { writeTar, type BackupContents, type Written } from '../backup/write-tar.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Clock } from '../core/clock.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { BackupKind, Records, Snapshot, SnapshotIndex, BackupRun } from '../records/records.ts'
import { requireAllScopes, requireOwner, type Actor } from './access.ts'

/** How long the lease of a process that was killed keeps originals from being deleted. */
const LEASE_MS = 3 * 60_000
/** A receiver that reads nothing for this long is gone. The time is long because a receiver may wait for a slow disk or a tape. */
const STALL_MS = 15 * 60_000

export interface BackupSourceOptions {
  records: Pick<Records, 'backups'>
  blobs: Pick<Blobs, 'open' | 'size'>
  /** Copies the database as it is at one moment to a new file. */
  copyDatabase(file: string): Promise<Snapshot>
  /** Writes the passages of an index with their vectors to a new file. Throws `unavailable` when the index is gone. */
  writePassages(index: SnapshotIndex, file: string): Promise<unknown>
  /** Returns the settings as JSON, without secrets; null without settings. */
  readSettings(): Promise<string | null>
  /** Returns the key to the secrets of webhooks; null if there is none. */
  readWebhookKey(): Promise<Buffer | null>
  /** The folder for the copy of the database. */
  temporary: string
  version: string
  clock: Clock
  log: Logger
}

export interface BackupOptions {
  withVectors: boolean
  /** Originals that the receiver has. */
  known: ReadonlySet<string>
}

/** A backup that is being made while its tar is read. Destroying the stream ends it. */
export interface RunningBackup {
  stream: Readable
  /** The approximate size of the tar in bytes. */
  sizeBytes: number
  /** Resolves when everything was read and recorded. Rejects when the backup failed. */
  done: Promise<Written>
}

/**
 * Makes backups: first a copy of the database, then the originals that it refers to. While a backup runs, it holds a lease, so that no
 * original is deleted that a document of the copy needs.
 */
export class BackupSource {
  readonly #options: BackupSourceOptions

  constructor(options: BackupSourceOptions) {
    this.#options = options
  }

  /** Throws `backup_running`. */
  async start(kind: BackupKind, options: BackupOptions): Promise<RunningBackup> {
    const { records, clock } = this.#options
    const until = () => new Date(clock.now().getTime() + LEASE_MS)
    const id = await records.backups.begin(kind, until())
    const files = [DATABASE, CONFIG, WEBHOOK_KEY, VECTORS].map((path) => ({
      path,
      file: join(this.#options.temporary, `${id}-${path}`),
    }))
    const run = new Run(this.#options, id, until)
    try {
      const contents = await this.#prepare(files, options)
      return await run.stream(contents, () => removeAll(files))
    } catch (error) {
      await removeAll(files)
      await run.end({ outcome: 'failed', bytes: 0, documents: 0 })
      throw error
    }
  }

  async #prepare(files: readonly BackupFile[], { withVectors, known }: BackupOptions): Promise<BackupContents> {
    const { copyDatabase, writePassages, readSettings, readWebhookKey, blobs, version, clock } = this.#options
    const [database, config, webhookKey, vectors] = files as [BackupFile, BackupFile, BackupFile, BackupFile]
    const createdAt = clock.now().toISOString()
    const { index, schema, documents, trashed, originals } = await copyDatabase(database.file)
    const settings = await readSettings()
    if (settings !== null) await writeFile(config.file, settings, { mode: 0o600 })
    const key = await readWebhookKey()
    if (key !== null) await writeFile(webhookKey.file, key, { mode: 0o600 })
    const hasVectors = withVectors && index !== null
    if (hasVectors) await writePassages(index, vectors.file)
    return {
      files: [
        database,
        ...(settings === null ? [] : [config]),
        ...(key === null ? [] : [webhookKey]),
        ...(hasVectors ? [vectors] : []),
      ],
      originals,
      known,
      openOriginal: (sha256) => openOriginal(blobs, sha256),
      manifest: {
        format: 'docsearch-backup',
        format_version: BACKUP_FORMAT_VERSION,
        docsearch_version: version,
        created_at: createdAt,
        schema,
        documents,
        trashed,
        index: index && {
          id: index.id,
          embedding_model: index.embeddingModel,
          dimensions: index.dimensions,
          fingerprint: index.fingerprint,
        },
      },
    }
  }
}

interface BackupFile {
  path: string
  file: string
}

/** The lease of one backup, from its beginning to its end. */
class Run {
  readonly #options: BackupSourceOptions
  readonly #id: string
  readonly #renewing: NodeJS.Timeout
  #stream: Readable | null = null
  #readAt = performance.now()

  constructor(options: BackupSourceOptions, id: string, until: () => Date) {
    this.#options = options
    this.#id = id
    this.#renewing = setInterval(() => void this.#renew(until()), LEASE_MS / 6)
    this.#renewing.unref()
  }

  async stream(contents: BackupContents, cleanUp: () => Promise<void>): Promise<RunningBackup> {
    const sizeBytes = await sizeOf(contents)
    this.#readAt = performance.now()
    const { stream, written } = writeTar(contents, () => (this.#readAt = performance.now()))
    this.#stream = stream
    const done = this.#finish(stream, written, cleanUp)
    // A caller that only reads the stream gets the error from the stream.
    done.catch(() => {})
    return { stream, sizeBytes, done }
  }

  async #finish(stream: Readable, written: Promise<Written>, cleanUp: () => Promise<void>): Promise<Written> {
    try {
      const [result] = await Promise.all([written, finished(stream, { writable: false })])
      const { documents, failed } = result.manifest
      await this.end({ outcome: failed.length === 0 ? 'done' : 'partial', bytes: result.bytes, documents })
      if (failed.length > 0)
        this.#options.log.error({ originals: failed.length }, 'the backup lacks originals that are missing or damaged')
      return result
    } catch (error) {
      await this.end({ outcome: 'failed', bytes: 0, documents: 0 })
      throw error
    } finally {
      await cleanUp()
    }
  }

  /** Never rejects: the lease of a backup that could not be recorded ends by itself. */
  async end(outcome: Parameters<Records['backups']['finish']>[1]): Promise<void> {
    clearInterval(this.#renewing)
    const { records, log } = this.#options
    await records.backups
      .finish(this.#id, outcome)
      .catch((error: unknown) => log.warn({ err: error }, 'could not record a backup'))
  }

  async #renew(until: Date): Promise<void> {
    if (this.#stream !== null && performance.now() - this.#readAt > STALL_MS)
      this.#stream.destroy(
        new DocsearchError(
          'timeout',
          'The backup was cancelled, because its receiver has read nothing for 15 minutes. Take it again.',
        ),
      )
    try {
      if (await this.#options.records.backups.renew(this.#id, until)) return
      // Originals may have been deleted since the lease ended, for example while the machine slept.
      this.#stream?.destroy(
        new DocsearchError(
          'unavailable',
          'The backup was interrupted for too long, for example because the machine slept. Take it again.',
        ),
      )
    } catch (error) {
      this.#options.log.warn({ err: error }, 'could not renew the lease of a backup; trying again')
    }
  }
}

async function openOriginal(blobs: BackupSourceOptions['blobs'], sha256: string): ReturnType<BackupContents['openOriginal']> {
  try {
    const size = await blobs.size(sha256)
    return { size, open: () => blobs.open(sha256) }
  } catch (error) {
    if (isDocsearchError(error, 'blob_missing')) return null
    throw error
  }
}

async function sizeOf({ files, originals, known }: BackupContents): Promise<number> {
  const sizes = await Promise.all(files.map(async ({ file }) => (await stat(file)).size))
  const sent = originals.reduce((sum, { sha256, size }) => sum + (known.has(sha256) ? 0 : size), 0)
  return sizes.reduce((sum, size) => sum + size, sent)
}

async function removeAll(files: readonly BackupFile[]): Promise<void> {
  for (const { file } of files) for (const name of [file, `${file}-journal`]) await rm(name, { force: true })
}

/** The backups that the instance takes by itself. */
export interface ScheduleState {
  everyMs: number
  /** The last backup of the schedule that succeeded. */
  lastSuccess: BackupRun | null
  last: BackupRun | null
}

interface BackupStatus {
  isRunning: boolean
  /** The last backup of any kind that succeeded. */
  lastSuccess: BackupRun | null
  /** Null when the instance takes no backups by itself. */
  schedule: ScheduleState | null
}

/** Copies of everything that an instance has. */
export interface Backups {
  /**
   * Begins a backup, which is made while its stream is read. Only the owner of the instance may take one, with all scopes and without a limit,
   * because it has the documents of all users. Throws `owner_only`, `insufficient_scope`, `limited_to_projects` and `backup_running`.
   */
  create(actor: Actor, options: BackupOptions): Promise<RunningBackup>
  /** For health and metrics. */
  status(): Promise<BackupStatus>
}

interface Options {
  records: Pick<Records, 'backups'>
  source: Pick<BackupSource, 'start'>
  /** Null without a schedule. */
  everyMs: number | null
}

export function createBackups({ records: { backups }, source, everyMs }: Options): Backups {
  return {
    async create(actor, options) {
      requireOwner(actor)
      requireAllScopes(actor, 'a backup has everything that the instance has')
      return source.start('stream', options)
    },
    async status() {
      const [isRunning, lastSuccess] = await Promise.all([backups.isRunning(), backups.lastSuccess()])
      if (everyMs === null) return { isRunning, lastSuccess, schedule: null }
      const [last, success] = await Promise.all([backups.last('scheduled'), backups.lastSuccess('scheduled')])
      return { isRunning, lastSuccess, schedule: { everyMs, lastSuccess: success, last } }
    },
  }
}
