import { availableParallelism, totalmem } from 'node:os'
import { z } from 'zod'
import { DEFAULT_LIMITS } from './config.ts'
import { databaseAddress, ROLES, storeAddress, withHiddenPassword } from './shared-place.ts'
import {
  absolutePath,
  bytes,
  bytesOrZero,
  callbackSchemes,
  commandLine,
  decimal,
  embedderSetting,
  flag,
  httpAddress,
  integer,
  listenAddress,
  backupPeriod,
  milliseconds,
  millisecondsOrZero,
  publicAddress,
  rerankerSetting,
  textList,
} from './values.ts'

export interface Setting {
  /** Dotted path in config.json; see environmentName for the environment variable. */
  key: string
  schema: z.ZodType
  default: unknown
  /** Name of the commander option that sets it, if there is one. */
  flag?: string
  /** Hides the secrets in a value. Without it, the whole value may be shown. */
  hideSecrets?: (value: unknown) => unknown
}

const L = DEFAULT_LIMITS

/** All settings, in the order in which --print-config shows them. docs/configuration.md says what each one means. */
export const SETTINGS: readonly Setting[] = [
  {
    key: 'host',
    schema: z.string('must be an address').min(1, 'must not be empty'),
    default: '127.0.0.1',
    flag: 'host',
  },
  { key: 'port', schema: integer(0, 65_535), default: 4747, flag: 'port' },
  {
    key: 'database',
    schema: databaseAddress.nullable(),
    default: null,
    flag: 'database',
    hideSecrets: withHiddenPassword,
  },
  { key: 'store', schema: storeAddress.nullable(), default: null, flag: 'store' },
  { key: 'role', schema: z.enum(ROLES, 'must be all, api or worker'), default: 'all', flag: 'role' },
  {
    key: 'public_url',
    schema: publicAddress.nullable(),
    default: null,
    flag: 'publicUrl',
  },
  { key: 'allowed_hosts', schema: textList, default: [] },
  { key: 'trust_proxy', schema: flag, default: false },
  { key: 'ollama', schema: httpAddress, default: 'http://127.0.0.1:11434', flag: 'ollama' },
  {
    key: 'embedder',
    schema: embedderSetting,
    default: 'auto',
    flag: 'embedder',
  },
  {
    key: 'embedder_check_ms',
    schema: milliseconds,
    default: 86_400_000,
  },
  {
    key: 'fusion_weight',
    schema: decimal(0, 10).nullable(),
    default: null,
  },
  {
    key: 'reranker',
    schema: rerankerSetting,
    default: 'auto',
    flag: 'reranker',
  },
  {
    key: 'rerank.model',
    schema: z.string('must be a name').min(1, 'must not be empty').nullable(),
    default: null,
  },
  { key: 'rerank.deadline_ms', schema: milliseconds, default: 2_000 },
  { key: 'rerank.candidates', schema: integer(1, 50), default: 25 },
  { key: 'rerank.passage_tokens', schema: integer(32, 2048), default: 512 },
  { key: 'rerank.parallel', schema: integer(1, 32), default: 1 },
  { key: 'search.memory_mb', schema: integer(1, 16_777_216), default: quarterOfMemory() },
  { key: 'rate_limit', schema: integer(0, 1_000_000), default: 600 },
  // Without a value, three times `rate_limit`.
  { key: 'user_rate_limit', schema: integer(0, 10_000_000).nullable(), default: null },
  { key: 'login_failures', schema: integer(0, 1_000_000), default: 10 },
  { key: 'oauth.registration', schema: flag, default: true },
  { key: 'oauth.client_documents', schema: flag, default: false },
  { key: 'oauth.private_http_callbacks', schema: flag, default: false },
  { key: 'oauth.callback_schemes', schema: callbackSchemes, default: [] },
  { key: 'webhooks.plain_http', schema: flag, default: false },
  { key: 'webhooks.private_networks', schema: flag, default: false },
  { key: 'audit_days', schema: integer(0, 36_500), default: 90 },
  { key: 'trash_days', schema: integer(0, 36_500), default: 30 },
  { key: 'scrub_days', schema: integer(0, 36_500), default: 30 },
  { key: 'backup.target', schema: absolutePath.nullable(), default: null },
  { key: 'backup.every', schema: backupPeriod, default: 86_400_000 },
  { key: 'backup.keep', schema: integer(1, 10_000), default: 7 },
  { key: 'backup.with_vectors', schema: flag, default: false },
  {
    key: 'log_level',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'),
    default: 'info',
    flag: 'logLevel',
  },
  { key: 'slow_search_ms', schema: millisecondsOrZero, default: 1_000 },
  { key: 'daemon_log.max_bytes', schema: bytes, default: 10_000_000 },
  { key: 'daemon_log.files', schema: integer(0, 100), default: 5 },
  { key: 'metrics.listen', schema: listenAddress.nullable(), default: null },
  { key: 'parse.workers', schema: integer(1, 64), default: Math.min(availableParallelism(), 8) },
  {
    key: 'pdf.engine',
    schema: z.enum(['pdfium', 'pdf2json'], 'must be pdfium or pdf2json'),
    default: 'pdfium',
  },
  { key: 'originals.cache_mb', schema: integer(0, 16_777_216), default: 1024 },
  { key: 'index.cache_mb', schema: integer(64, 16_777_216), default: 16_384 },
  { key: 'page_images.cache_mb', schema: integer(0, 16_777_216), default: 512 },
  {
    key: 'parse.ocr_command',
    schema: commandLine(['{input}', '{output}']).nullable(),
    default: null,
  },
  { key: 'quota.documents', schema: integer(0, 1_000_000_000), default: 0 },
  { key: 'quota.bytes', schema: bytesOrZero, default: 0 },
  { key: 'quota.passages', schema: integer(0, 1_000_000_000), default: 0 },
  { key: 'limits.file_bytes', schema: bytes, default: L.fileBytes },
  { key: 'limits.request_files', schema: integer(1, 1000), default: L.requestFiles },
  { key: 'limits.request_bytes', schema: bytes, default: L.requestBytes },
  { key: 'limits.pages', schema: integer(1, 1_000_000), default: L.pages },
  { key: 'limits.parse_ms', schema: milliseconds, default: L.parseMs },
  { key: 'limits.parse_stall_ms', schema: milliseconds, default: L.parseStallMs },
  { key: 'limits.ocr_ms', schema: milliseconds, default: L.ocrMs },
  { key: 'limits.parse_memory_bytes', schema: bytes, default: L.parseMemoryBytes },
  { key: 'limits.text_bytes', schema: bytes, default: L.textBytes },
  { key: 'limits.xml_bytes', schema: bytes, default: L.xmlBytes },
  { key: 'limits.query_chars', schema: integer(1, 4000), default: L.queryChars },
  { key: 'limits.answer_bytes', schema: bytes, default: L.answerBytes },
  { key: 'limits.uploads_in_flight', schema: integer(1, 10_000), default: L.uploadsInFlight },
  { key: 'limits.upload_stall_ms', schema: milliseconds, default: L.uploadStallMs },
  { key: 'limits.event_streams', schema: integer(1, 10_000), default: L.eventStreams },
  { key: 'limits.api_keys', schema: integer(1, 10_000), default: L.apiKeys },
  { key: 'limits.synonyms', schema: integer(0, 100_000), default: L.synonyms },
  { key: 'limits.webhooks', schema: integer(0, 1000), default: L.webhooks },
]

/** Returns a quarter of the machine's or the container's memory in MB. */
function quarterOfMemory(): number {
  // Without a limit, this is 0 or more than the machine's memory.
  const constrained = process.constrainedMemory() || Infinity
  return Math.max(64, Math.floor(Math.min(totalmem(), constrained) / 4 / 2 ** 20))
}

export function environmentName(key: string): string {
  return `DOCSEARCH_${key.toUpperCase().replaceAll('.', '_')}`
}

/** Variables that other code reads. They are no settings of the daemon, and no typing errors either. */
export const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  'DOCSEARCH_CACERT',
  'DOCSEARCH_PAGER',
  'DOCSEARCH_DATA',
  'DOCSEARCH_SERVER',
  'DOCSEARCH_TOKEN',
  'DOCSEARCH_PROFILE',
  'DOCSEARCH_CLIENT_SECRET',
  'DOCSEARCH_RERANK_KEY',
])
