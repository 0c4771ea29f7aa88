import type { Quotas } from '../core/model.ts'
import type { OAuthPolicy } from '../core/oauth-policy.ts'
import type { WebhookPolicy } from '../core/webhooks.ts'
import type { SharedPlace } from './shared-place.ts'

/** All settings, checked and frozen. See loadConfig for where they come from. */
export interface Config {
  host: string
  /** 0 takes a free port. */
  port: number
  dataDir: string
  /** Null for an instance in a data folder, which has only one process. */
  shared: SharedPlace | null
  publicUrl: string | null
  /** Names accepted in the Host header besides the usual ones. */
  allowedHosts: readonly string[]
  trustProxy: boolean
  ollamaUrl: string
  /** `auto`, `builtin` or `ollama:MODEL`. */
  embedder: string
  /** Milliseconds between two checks that the model still produces the vectors of the index. */
  embedderCheckMs: number
  /** Weight of vectors, where keywords have 1; null for the embedder's own weight. */
  fusionWeight: number | null
  /** `auto`, `builtin`, `none`, `ollama:MODEL` or the address of a rerank endpoint. */
  reranker: string
  rerank: RerankConfig
  /** How many bytes of memory the segments that searches read may take. */
  searchMemoryBytes: number
  /** Requests a minute for each credential, session, or address without either. 0 turns off this limit and `userRateLimit`. */
  rateLimit: number
  /** Requests a minute for all keys, applications and browsers of a user together; 0 for no limit. */
  userRateLimit: number
  /** Failed logins in 15 minutes, for an account and for an address; 0 for no limit. */
  loginFailures: number
  oauth: OAuthPolicy
  /** Which addresses webhooks may have. */
  webhooks: WebhookPolicy
  /** How many days the audit log keeps its events; 0 turns it off. */
  auditDays: number
  /** How many days deleted documents and replaced versions stay in the trash; 0 for no trash. */
  trashDays: number
  /** In how many days the scrub reads each original once; 0 turns it off. */
  scrubDays: number
  backup: BackupConfig
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** How long a search takes to be logged as slow, in milliseconds; 0 logs none. */
  slowSearchMs: number
  daemonLog: DaemonLogConfig
  /** Where to serve metrics without a credential; null for nowhere. */
  metricsListen: { host: string; port: number } | null
  /** Number of parser processes; by default one for each core, at most 8. */
  parseWorkers: number
  /** How many bytes of the disk the images of pages may take; 0 keeps none. */
  pageImageBytes: number
  /** How many bytes on disk the copies of originals may take, if the originals are in an object store. */
  originalsCacheBytes: number
  /** How many bytes on disk the blocks of large index files may take. */
  indexCacheBytes: number
  /** The PDF engine that is tried first. */
  pdfEngine: 'pdfium' | 'pdf2json'
  /** Program and arguments, with `{input}` and `{output}`, that recognise text on scanned pages; null for none. */
  ocrCommand: readonly string[] | null
  /** The quotas of users who have none of their own; null for no quota. */
  quotas: Quotas
  limits: Limits
}

/** The file to which a daemon in the background logs. */
export interface DaemonLogConfig {
  maxBytes: number
  /** How many full files to keep next to it. */
  files: number
}

/** The backups that the instance takes by itself. */
export interface BackupConfig {
  /** A folder, or a `.tar` file whose name gets the time; null for no backups. */
  target: string | null
  everyMs: number
  /** How many backups to keep. */
  keep: number
  withVectors: boolean
}

export interface RerankConfig {
  /** The model requested from a rerank endpoint; null lets the endpoint choose. */
  model: string | null
  /** For a rerank endpoint; only the environment can set it. */
  key: string | null
  /** Milliseconds a model has for one question. */
  deadlineMs: number
  /** How many of the best passages a model judges. */
  candidates: number
  /** Tokens of each passage that the model sees. */
  passageTokens: number
  /** Passages sent to Ollama at the same time. */
  parallel: number
}

export interface Limits {
  fileBytes: number
  requestFiles: number
  requestBytes: number
  pages: number
  /** Milliseconds to parse a whole document. */
  parseMs: number
  /** Milliseconds without a new page. */
  parseStallMs: number
  /** Milliseconds for the program of `ocrCommand`. */
  ocrMs: number
  /** Bytes of resident memory of a parser process. */
  parseMemoryBytes: number
  /** Bytes of a document's text in UTF-8. */
  textBytes: number
  /** Bytes of a DOCX's XML when inflated. */
  xmlBytes: number
  /** Characters of a query. */
  queryChars: number
  /** The maximum size of the answer to a search. */
  answerBytes: number
  /** Uploads that one user may have in flight. */
  uploadsInFlight: number
  /** Milliseconds in which an upload must send another 64 kB, or the rest of its body. */
  uploadStallMs: number
  /** Event streams that one user may have open. */
  eventStreams: number
  /** API keys that one user may have. */
  apiKeys: number
  /** Words and phrases in the synonyms of all projects of one user. */
  synonyms: number
  /** Webhooks of a project. */
  webhooks: number
}

/** The default of `user_rate_limit`, as a multiple of `rate_limit`: enough for a user with two or three busy applications. */
export const DEFAULT_USER_RATE_FACTOR = 3

const MB = 1_000_000

export const DEFAULT_LIMITS: Limits = {
  fileBytes: 200 * MB,
  requestFiles: 20,
  requestBytes: 400 * MB,
  pages: 5_000,
  parseMs: 60_000,
  parseStallMs: 10_000,
  ocrMs: 600_000,
  parseMemoryBytes: 1024 ** 3,
  textBytes: 20 * MB,
  xmlBytes: 64 * MB,
  queryChars: 4_000,
  answerBytes: 4 * MB,
  uploadsInFlight: 50,
  uploadStallMs: 60_000,
  eventStreams: 20,
  apiKeys: 100,
  synonyms: 10_000,
  webhooks: 10,
}
