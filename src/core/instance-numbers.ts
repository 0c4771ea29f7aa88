import type { DocumentStatus } from './model.ts'

export const HEALTH_CHECKS = [
  'database',
  'store',
  'index',
  'embedder',
  'reranker',
  'queue',
  'disk',
  'originals',
  'backup',
] as const
export type HealthCheck = (typeof HEALTH_CHECKS)[number]

/** The parts of the data folder, without what docsearch does not measure. */
export const STORAGE_PARTS = ['database', 'originals', 'indexes', 'page_images'] as const
export type StoragePart = (typeof STORAGE_PARTS)[number]

/** The state of the whole instance in numbers. Null for what can't be read now. */
export interface InstanceNumbers {
  documents: Readonly<Record<DocumentStatus, number>> | null
  /** How long the oldest document in the queue has been waiting or in progress. 0 for an empty queue. */
  queueOldestSeconds: number | null
  /** Null while there is no index. */
  index: IndexNumbers | null
  /** The setting `search.memory_mb`. */
  searchMemoryBytes: number
  parsers: ParserNumbers
  /** Calls to Ollama that wait for their turn. */
  ollamaWaiting: Readonly<Record<'query' | 'rerank' | 'batch', number>>
  disk: { freeBytes: number; totalBytes: number } | null
  /** Measured at most once a minute. Null before the first measurement. */
  storage: Readonly<Record<StoragePart, number | null>> | null
  users: { active: number; disabled: number } | null
  /** The models in use. */
  models: { embedder: string; reranker: string | null }
  /** Whether each part works. A few seconds old. Null before the first report. No `backup` without a schedule, no `store` in a data folder. */
  checks: Readonly<Partial<Record<HealthCheck, boolean>>> | null
  /** When the last backup that succeeded began. Null if there was none. */
  lastBackup: Date | null
}

export interface IndexNumbers {
  passages: number
  /** Passages that searches don't find, because their segments are being rebuilt. */
  unindexed: number
  segments: number
  /** Memory of the segments that searches read. */
  memoryBytes: number
}

export interface ParserNumbers {
  processes: number
  /** Processes without a document. */
  idle: number
  /** Documents that wait for a process. */
  waiting: number
}

/** What happened within the last minutes. */
export interface RecentWork {
  /** How many minutes the numbers are about: fewer after a start. */
  minutes: number
  requests: number
  searches: number
  /** The times within which half of the searches and 95 % of them were answered, and the longest one. Null without searches. */
  searchMs: { median: number; p95: number; max: number } | null
  documentsReady: number
  documentsFailed: number
  passages: number
}
