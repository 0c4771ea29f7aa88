import type { Accounts } from '../auth/accounts.ts'
import type { Authenticator } from '../auth/auth.ts'
import type { CredentialWatch } from '../auth/credential-watch.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { MakeCounter } from '../core/rate-counter.ts'
import type { Telemetry } from '../core/telemetry.ts'
import type { OAuth } from '../oauth/oauth.ts'
import type { Services } from '../services/create.ts'
import type { KeptViews } from './web/session/one-time-views.ts'
import type { OpenStreams } from './middleware/open-streams.ts'

/** What http/ works with, handed in by serve/. Each table of routes or pages takes only the parts it uses. */
export interface Dependencies extends Services {
  authenticator: Authenticator
  /** Ends requests whose credential ends while docsearch answers them. */
  credentials: CredentialWatch
  /** Logins, sessions and one-time links, for the pages. */
  accounts: Accounts
  oauth: OAuth
  settings: HttpSettings
  clock: Clock
  log: Logger
  /** Without it, nothing is measured. */
  telemetry?: Telemetry
  version: string
}

/** The dependencies, and what the API and the views share. */
export interface AppParts extends Dependencies {
  openStreams: OpenStreams
}

export interface HttpSettings {
  /**
   * Returns `--public-url`, or the address listened on, which is known once the server listens. Links and metadata are made from it,
   * never from a request's Host header.
   */
  baseUrl(): string
  /** Host names to accept in the Host header, next to IP addresses and localhost. */
  allowedHosts: readonly string[]
  trustProxy: boolean
  /** Requests a minute for one credential, one session or one address without either; 0 for no limit, also for users. */
  rateLimit: number
  /** Requests a minute for all credentials and sessions of one user together; 0 for no limit. */
  userRateLimit: number
  /** Counts requests and failures. By default, this process counts its own. */
  counters?: MakeCounter | undefined
  /** Keeps the views that are shown once, for all processes together. By default, each process keeps its own. */
  keptViews?: KeptViews | undefined
  limits: {
    fileBytes: number
    requestFiles: number
    requestBytes: number
    queryChars: number
    answerBytes: number
    uploadStallMs: number
    eventStreams: number
  }
  /** Aborts when the daemon begins to stop. Long answers (events, `Prefer: wait`) end then. */
  stopping: AbortSignal
}
