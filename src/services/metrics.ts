import type { Clock } from '../core/clock.ts'
import { HEALTH_CHECKS, type IndexNumbers, type InstanceNumbers, type ParserNumbers } from '../core/instance-numbers.ts'
import type { Logger } from '../core/logger.ts'
import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { Records } from '../records/records.ts'
import type { RerankerState } from '../core/model.ts'
import { requireMetrics, type Actor } from './access.ts'
import type { Backups } from './backup-source.ts'
import type { DiskState, HealthReport } from './health.ts'
import { type Memory, type Storage, Remembered } from './instance.ts'

/** Writes the metrics of the instance, with its present numbers. */
export interface MetricsText {
  contentType: string
  text(numbers: InstanceNumbers): Promise<string>
}

export interface Metrics {
  contentType: string
  /** Returns the metrics in Prometheus' text format. Throws `insufficient_scope`, `owner_only` and `limited_to_projects`. */
  text(actor: Actor): Promise<string>
  /** For the separate listener, which needs no credential. */
  textForOperator(): Promise<string>
}

/** Measuring the folders reads the size of every file in them. */
const STORAGE_MS = 60_000

export interface MetricsOptions {
  records: Pick<Records, 'queue' | 'users'>
  lifecycle: Pick<IndexReading, 'active' | 'choice' | 'indexes'>
  metrics: MetricsText
  /** Returns a report about the whole instance that is at most a few seconds old, without waiting for one. */
  latestHealth(): HealthReport | null
  reranker(): RerankerState
  parsers(): ParserNumbers
  ollamaWaiting(): InstanceNumbers['ollamaWaiting']
  /** Never throws. */
  disk(): Promise<DiskState>
  storage(): Promise<Storage>
  backups: Pick<Backups, 'status'>
  memory(): Pick<Memory, 'forSearch'>
  clock: Clock
  log: Logger
}

/** Reads what a scrape needs from counters and memory. What takes longer is measured in the background, at most once a minute. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { records, lifecycle, metrics, clock, log } = options
  const slow = new Remembered({
    read: () => measure(options),
    forMs: STORAGE_MS,
    clock,
    log,
    what: 'the size of the data folder',
  })
  /** The scrape in progress, which later callers share. */
  let running: Promise<string> | null = null

  /** Leaves out a number that can't be read, so that the others can still show what is wrong. */
  async function orNull<T>(what: string, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read()
    } catch (error) {
      log.warn({ err: error }, `${what} could not be read for the metrics`)
      return null
    }
  }

  async function oldestSeconds(): Promise<number> {
    const oldest = await records.queue.oldest()
    return oldest === null ? 0 : Math.max(0, (clock.now().getTime() - oldest.getTime()) / 1000)
  }

  async function numbers(): Promise<InstanceNumbers> {
    const [documents, queueOldestSeconds, disk, lastBackup] = await Promise.all([
      orNull('the documents', () => records.queue.counts()),
      orNull('the queue', oldestSeconds),
      options.disk(),
      orNull('the last backup', async () => (await options.backups.status()).lastSuccess?.startedAt ?? null),
    ])
    return {
      documents,
      queueOldestSeconds,
      index: indexNumbers(lifecycle),
      searchMemoryBytes: options.memory().forSearch,
      parsers: options.parsers(),
      ollamaWaiting: options.ollamaWaiting(),
      disk: diskNumbers(disk),
      storage: slow.get()?.storage ?? null,
      users: slow.get()?.users ?? null,
      models: { embedder: lifecycle.active()?.embedder.name ?? lifecycle.choice().embedder, reranker: options.reranker().model },
      checks: checksOf(options.latestHealth()),
      lastBackup,
    }
  }

  function text(): Promise<string> {
    running ??= numbers()
      .then((now) => metrics.text(now))
      .finally(() => (running = null))
    return running
  }

  return {
    contentType: metrics.contentType,
    async text(actor) {
      requireMetrics(actor)
      return text()
    },
    textForOperator: text,
  }
}

function indexNumbers(lifecycle: Pick<IndexReading, 'active'>): IndexNumbers | null {
  return lifecycle.active()?.index.numbers() ?? null
}

async function measure({ records, lifecycle, storage }: MetricsOptions): Promise<Pick<InstanceNumbers, 'storage' | 'users'>> {
  const [sizes, indexes, totals] = await Promise.all([storage(), lifecycle.indexes(), records.users.totals()])
  return {
    storage: {
      database: sizes.database,
      originals: totals.bytes,
      indexes: indexes.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
      page_images: sizes.pageImages,
    },
    users: { active: totals.users - totals.disabled, disabled: totals.disabled },
  }
}

function checksOf(report: HealthReport | null): InstanceNumbers['checks'] {
  if (report === null) return null
  return Object.fromEntries(
    HEALTH_CHECKS.flatMap((name) => {
      const check = report[name]
      return check === null ? [] : [[name, 'ok' in check ? check.ok : check.status === 'ok']]
    }),
  ) as InstanceNumbers['checks']
}

function diskNumbers({ freeBytes, totalBytes = null }: DiskState): InstanceNumbers['disk'] {
  return freeBytes === null || totalBytes === null ? null : { freeBytes, totalBytes }
}
