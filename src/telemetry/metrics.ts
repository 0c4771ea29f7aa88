import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { FORMATS } from '../core/formats.ts'
import type { InstanceNumbers } from '../core/instance-numbers.ts'
import { DEGRADED_REASONS, RATE_LIMITS, type TelemetryEvent } from '../core/telemetry.ts'

/** Seconds. A keyword search takes a few milliseconds, and a large upload minutes. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const STAGE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const INGEST_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]
const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Other values come from clients, who could make up any number of them. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const MEDIA_TYPES = new Set<string>(Object.values(FORMATS).map(({ mediaType }) => mediaType))
/** The label for a request that no route took, and for every value that is not in a list. */
const OTHER = 'other'

/** The metrics of one instance, in the text format of Prometheus. No label has a user, a project, a path or a query. */
export class Metrics {
  readonly contentType: string
  readonly #registry = new Registry()
  readonly #handlers: Handlers
  readonly #setGauges: (numbers: InstanceNumbers) => void

  constructor({ version }: { version: string }) {
    this.contentType = this.#registry.contentType
    collectDefaultMetrics({ register: this.#registry })
    this.#handlers = createHandlers(this.#registry)
    this.#setGauges = createGauges(this.#registry, version)
  }

  note(event: TelemetryEvent): void {
    const handle = this.#handlers[event.type] as (event: TelemetryEvent) => void
    handle(event)
  }

  /** Returns all metrics. `numbers` is the present state of the instance. */
  text(numbers: InstanceNumbers): Promise<string> {
    this.#setGauges(numbers)
    return this.#registry.metrics()
  }
}

type Handlers = { [T in TelemetryEvent['type']]: (event: Extract<TelemetryEvent, { type: T }>) => void }

function createHandlers(registry: Registry): Handlers {
  return { ...requestHandlers([registry]), ...searchHandlers([registry]), ...ingestHandlers([registry]) }
}

function requestHandlers(registers: Registry[]): Pick<Handlers, 'request' | 'rate_limited' | 'event_streams'> {
  const requests = new Histogram({
    name: 'docsearch_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer. `other` is a request that matched no route',
    labelNames: ['route', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const refused = new Counter({
    name: 'docsearch_rate_limited_total',
    help: 'Requests refused because there were too many with a credential, of a user, from an address, to an endpoint, or with wrong credentials (failures)',
    labelNames: ['limit'],
    registers,
  })
  // A counter that begins at 0 shows its first increase, too.
  for (const limit of RATE_LIMITS) refused.inc({ limit }, 0)
  const streams = new Gauge({ name: 'docsearch_event_streams', help: 'Open event streams', registers })
  return {
    request: ({ route, method, status, seconds }) =>
      requests.observe({ route: route ?? OTHER, method: METHODS.has(method) ? method : OTHER, status }, seconds),
    rate_limited: ({ limit }) => refused.inc({ limit }),
    event_streams: ({ change }) => streams.inc(change),
  }
}

function searchHandlers(registers: Registry[]): Pick<Handlers, 'search' | 'ollama_call'> {
  const searches = new Histogram({
    name: 'docsearch_search_duration_seconds',
    help: 'Time of a search by the mode that was used',
    labelNames: ['mode'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const stages = new Histogram({
    name: 'docsearch_search_stage_duration_seconds',
    help: 'Time of each stage of a search',
    labelNames: ['stage'],
    buckets: STAGE_SECONDS,
    registers,
  })
  const degraded = new Counter({
    name: 'docsearch_search_degraded_total',
    help: 'Searches whose answer lacked something, by reason',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of DEGRADED_REASONS) degraded.inc({ reason }, 0)
  const calls = new Histogram({
    name: 'docsearch_ollama_call_duration_seconds',
    help: 'Time that Ollama took for a call: a query, the scores of passages (rerank) or a batch of passages',
    labelNames: ['kind', 'outcome'],
    buckets: CALL_SECONDS,
    registers,
  })
  const waits = new Histogram({
    name: 'docsearch_ollama_wait_seconds',
    help: 'Time that a call waited for its turn before docsearch sent it to Ollama',
    labelNames: ['kind'],
    buckets: CALL_SECONDS,
    registers,
  })
  return {
    search({ search }) {
      searches.observe({ mode: search.mode }, search.seconds)
      for (const [stage, seconds] of Object.entries(search.stages)) stages.observe({ stage }, seconds)
      for (const reason of search.degraded) degraded.inc({ reason })
    },
    ollama_call({ kind, outcome, waitedSeconds, seconds }) {
      calls.observe({ kind, outcome }, seconds)
      waits.observe({ kind }, waitedSeconds)
    },
  }
}

function ingestHandlers(registers: Registry[]): Pick<Handlers, 'ingest_step' | 'document_ready' | 'document_failed'> {
  const documents = new Counter({
    name: 'docsearch_ingest_documents_total',
    help: 'Documents that became ready or failed, by format',
    labelNames: ['outcome', 'media_type'],
    registers,
  })
  const failures = new Counter({
    name: 'docsearch_ingest_failures_total',
    help: 'Documents that failed, by error code',
    labelNames: ['code'],
    registers,
  })
  const passages = new Counter({ name: 'docsearch_ingest_passages_total', help: 'Passages added to the index', registers })
  const steps = new Histogram({
    name: 'docsearch_ingest_step_duration_seconds',
    help: 'Time of each step of a document: parse, embed (cutting included) and index (waiting for other documents included)',
    labelNames: ['step'],
    buckets: INGEST_SECONDS,
    registers,
  })
  const known = (mediaType: string) => (MEDIA_TYPES.has(mediaType) ? mediaType : OTHER)
  return {
    ingest_step: ({ step, seconds }) => steps.observe({ step }, seconds),
    document_ready({ mediaType, passages: added }) {
      documents.inc({ outcome: 'ready', media_type: known(mediaType) })
      passages.inc(added)
    },
    document_failed({ mediaType, code }) {
      documents.inc({ outcome: 'failed', media_type: known(mediaType) })
      failures.inc({ code })
    },
  }
}

/** One gauge that a scrape sets. Null has no sample, so that an unknown number never looks like 0. */
interface Reading {
  name: string
  help: string
  label?: string
  /** Returns a number, or a number for each value of the label. */
  read(numbers: InstanceNumbers): number | null | Readonly<Record<string, number | null>>
}

const READINGS: readonly Reading[] = [
  {
    name: 'docsearch_documents',
    help: 'Documents by status, not counting the trash',
    label: 'status',
    read: ({ documents }) => documents,
  },
  {
    name: 'docsearch_queue_oldest_seconds',
    help: 'How long the oldest unfinished document has been in the queue',
    read: ({ queueOldestSeconds }) => queueOldestSeconds,
  },
  {
    name: 'docsearch_index_chunks',
    help: 'Passages in the active index',
    read: ({ index }) => index && index.passages,
  },
  {
    name: 'docsearch_index_unindexed_rows',
    help: 'Passages that searches do not find because their part of the index is being rebuilt',
    read: ({ index }) => index && index.unindexed,
  },
  {
    name: 'docsearch_index_segments',
    help: 'Segments of the active index',
    read: ({ index }) => index && index.segments,
  },
  {
    name: 'docsearch_index_memory_bytes',
    help: 'Memory of the segments of the active index',
    read: ({ index }) => index && index.memoryBytes,
  },
  {
    name: 'docsearch_search_memory_limit_bytes',
    help: 'The setting search.memory_mb',
    read: ({ searchMemoryBytes }) => searchMemoryBytes,
  },
  {
    name: 'docsearch_parser_processes',
    help: 'Parser processes by what they do',
    label: 'state',
    read: ({ parsers: { processes, idle } }) => ({ busy: processes - idle, idle }),
  },
  {
    name: 'docsearch_parser_waiting_documents',
    help: 'Documents that wait for a parser process',
    read: ({ parsers }) => parsers.waiting,
  },
  {
    name: 'docsearch_ollama_waiting_calls',
    help: 'Calls to Ollama that wait for their turn',
    label: 'kind',
    read: ({ ollamaWaiting }) => ollamaWaiting,
  },
  {
    name: 'docsearch_disk_free_bytes',
    help: 'Free space of the disk that has the data folder',
    read: ({ disk }) => disk && disk.freeBytes,
  },
  {
    name: 'docsearch_disk_size_bytes',
    help: 'Size of the disk that has the data folder',
    read: ({ disk }) => disk && disk.totalBytes,
  },
  {
    name: 'docsearch_storage_bytes',
    help: 'Bytes that the parts of the data folder need. Measured at most once a minute. `originals` counts each copy of a file',
    label: 'part',
    read: ({ storage }) => storage,
  },
  {
    name: 'docsearch_users',
    help: 'User accounts',
    label: 'state',
    read: ({ users }) => users,
  },
  {
    name: 'docsearch_health',
    help: '1 while a part of the instance works, 0 while it does not. A few seconds old',
    label: 'check',
    read: ({ checks }) => checks && Object.fromEntries(Object.entries(checks).map(([name, isOk]) => [name, Number(isOk)])),
  },
  {
    name: 'docsearch_backup_last_success_timestamp_seconds',
    help: 'When the last backup that succeeded began, as a Unix time',
    read: ({ lastBackup }) => lastBackup && lastBackup.getTime() / 1000,
  },
]

/** Registers the gauges. The function that it returns sets them all. */
function createGauges(registry: Registry, version: string): (numbers: InstanceNumbers) => void {
  const registers = [registry]
  const setters = READINGS.map((reading) => createGauge(reading, registers))
  const build = new Gauge({
    name: 'docsearch_build_info',
    help: 'Always 1. The labels say which version runs',
    labelNames: ['version', 'node'],
    registers,
  })
  build.set({ version, node: process.versions.node }, 1)
  const models = new Gauge({
    name: 'docsearch_model_info',
    help: 'Always 1. The labels say which model embeds and which one reranks',
    labelNames: ['role', 'model'],
    registers,
  })
  return (numbers) => {
    for (const set of setters) set(numbers)
    models.reset()
    const { embedder, reranker } = numbers.models
    models.set({ role: 'embedder', model: embedder }, 1)
    if (reranker !== null) models.set({ role: 'reranker', model: reranker }, 1)
  }
}

function createGauge({ name, help, label, read }: Reading, registers: Registry[]): (numbers: InstanceNumbers) => void {
  const gauge = new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers })
  return (numbers) => {
    const value = read(numbers)
    if (label === undefined) {
      if (typeof value === 'number') gauge.set(value)
      // After `reset`, a gauge without labels would have the value 0.
      else gauge.remove()
      return
    }
    gauge.reset()
    if (value === null || typeof value === 'number') return
    for (const [of, number] of Object.entries(value)) if (number !== null) gauge.set({ [label]: of }, number)
  }
}
