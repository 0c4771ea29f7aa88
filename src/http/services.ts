import type { Accounts } from '../auth/accounts.ts'
import type { Authenticator, ApiKeys } from '../auth/auth.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { EmbedderModels } from '../embed/models.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { OAuth } from '../oauth/oauth.ts'
import type { Records } from '../records/records.ts'
import type { RerankerStatus } from '../rerank/choose.ts'
import type { Search } from '../search/search.ts'

/** Everything the HTTP layer may touch, handed in by serve/. */
export interface Services {
  version: string
  clock: Clock
  log: Logger
  records: Records
  blobs: Blobs
  lifecycle: Lifecycle
  ingest: Ingest
  models: EmbedderModels
  search: Search
  authenticator: Authenticator
  apiKeys: ApiKeys
  accounts: Accounts
  oauth: OAuth
  http: HttpSettings
  /** Bytes free where the data folder lies, and whether that is enough to take uploads. Never throws. */
  disk(): Promise<{ ok: boolean; message: string; freeBytes: number | null }>
  reranker(): RerankerStatus
  startedAt: Date
}

export interface HttpSettings {
  /** `--public-url`, or the address listened on; links and metadata come from it, never from a request's Host. Known once listening. */
  baseUrl(): string
  /** Host names accepted in the Host header beside IP literals and localhost. */
  allowedHosts: readonly string[]
  trustProxy: boolean
  /** Requests a minute for one credential; 0 for none. */
  rateLimit: number
  limits: { fileBytes: number; requestFiles: number; requestBytes: number; queryChars: number }
  /** Resolves when the daemon begins to stop: long answers (events, Prefer: wait) end then. */
  stopping: AbortSignal
}
