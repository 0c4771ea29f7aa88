import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { FORMATS } from '../core/formats.ts'
import type { InstanceNumbers } from '../core/instance-numbers.ts'
import { DEGRADED_REASONS, RATE_LIMITS, type TelemetryEvent } from '../core/telemetry.ts'
import { createGauges } from './gauges.ts'

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
