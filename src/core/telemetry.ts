import type { ErrorCode } from './errors.ts'

/** The steps of a search, in order. */
export const SEARCH_STAGES = ['spelling', 'embed', 'messages', 'phrases', 'find', 'rerank', 'read', 'highlight'] as const
export type SearchStage = (typeof SEARCH_STAGES)[number]

/** The steps of a document on its way into the index. */
export const INGEST_STEPS = ['parse', 'embed', 'index'] as const
export type IngestStep = (typeof INGEST_STEPS)[number]

/** Why an answer is worse than it could be. */
export const DEGRADED_REASONS = [
  'no_index',
  'index_incomplete',
  'index_behind',
  'spelling_stopped',
  'embedder_timeout',
  'embedder_unavailable',
  'embedder_changed',
  'embedder_failed',
  'reranker_unavailable',
  'reranker_timeout',
  'reranker_failed',
] as const
export type DegradedReason = (typeof DEGRADED_REASONS)[number]

/** What a request was refused for: too many requests with a credential, of a user or from an address, or too many wrong credentials. */
export const RATE_LIMITS = ['credential', 'user', 'address', 'failures', 'endpoint'] as const
export type RateLimit = (typeof RATE_LIMITS)[number]

/** How a call to a model ended. */
export type CallOutcome = 'ok' | 'failed' | 'aborted'

/** An event to count or measure. Never contains a user, a project, a document, a path, a query or a text. */
export type TelemetryEvent =
  /** `route` is the pattern of the route. Null if no route took the request. */
  | { type: 'request'; route: string | null; method: string; status: number; seconds: number }
  | { type: 'search'; search: MeasuredSearch }
  | { type: 'ingest_step'; step: IngestStep; seconds: number }
  | { type: 'document_ready'; mediaType: string; passages: number }
  | { type: 'document_failed'; mediaType: string; code: ErrorCode }
  | { type: 'ollama_call'; kind: 'query' | 'rerank' | 'batch'; outcome: CallOutcome; waitedSeconds: number; seconds: number }
  | { type: 'rate_limited'; limit: RateLimit }
  /** An event stream was opened (1) or closed (-1). */
  | { type: 'event_streams'; change: 1 | -1 }

export interface MeasuredSearch {
  mode: 'hybrid' | 'vector' | 'keyword'
  seconds: number
  /** Without the stages that the search did not need. A stage that ran several times has the sum. */
  stages: Readonly<Partial<Record<SearchStage, number>>>
  degraded: readonly DegradedReason[]
  /** Returns what kind of search it was. Costs a little, so only code that needs it asks. */
  shape(): SearchShape
}

/** What kind of search it was, without its words. */
export interface SearchShape {
  words: number
  chars: number
  phrases: number
  excluded: number
  /** The names of the operators and of the fields of the filter. */
  filters: readonly string[]
  projects: number
  limit: number
  offset: number
  groupBy: string
  sort: string
  facets: number
  isCorrected: boolean
  isReranked: boolean
  results: number
}

type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanStart {
  name: string
  kind?: 'server' | 'client'
  /** The header `traceparent` of a request, which continues the caller's trace. */
  parent?: string | undefined
  attributes?: Attributes
}

export interface ActiveSpan {
  rename(name: string): void
  set(attributes: Attributes): void
  /** Marks the work as failed although it does not throw. */
  fail(): void
}

/** Where the parts of the daemon report their work. */
export interface Telemetry {
  /** Counts or measures something. Never throws. */
  note(event: TelemetryEvent): void
  /** Runs work as a span of the current trace. Without tracing, it only runs the work. */
  trace<T>(span: SpanStart, work: (span: ActiveSpan) => Promise<T>): Promise<T>
}

export const NO_SPAN: ActiveSpan = { rename() {}, set() {}, fail() {} }

export const noTelemetry: Telemetry = { note() {}, trace: (_span, work) => work(NO_SPAN) }
