import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { DEFAULT_LIMITS } from './config.ts'
import {
  bytes,
  commandLine,
  decimal,
  embedderSetting,
  flag,
  httpAddress,
  integer,
  milliseconds,
  rerankerSetting,
  textList,
} from './values.ts'

export interface Setting {
  /** Dotted path in config.json. The environment variable is DOCSEARCH_ and this in capitals, dots as underscores. */
  key: string
  schema: z.ZodType
  default: unknown
  /** Name of the commander option that sets it, if one does. */
  flag?: string
  help: string
}

const L = DEFAULT_LIMITS

/** Every setting there is, in the order in which --print-config shows them. */
export const SETTINGS: readonly Setting[] = [
  {
    key: 'host',
    schema: z.string('must be an address').min(1, 'must not be empty'),
    default: '127.0.0.1',
    flag: 'host',
    help: 'address to listen on',
  },
  { key: 'port', schema: integer(0, 65_535), default: 4747, flag: 'port', help: 'port to listen on, 0 takes a free one' },
  {
    key: 'public_url',
    schema: httpAddress.nullable(),
    default: null,
    flag: 'publicUrl',
    help: 'address under which others reach it',
  },
  { key: 'allowed_hosts', schema: textList, default: [], help: 'further names accepted in the Host header' },
  { key: 'trust_proxy', schema: flag, default: false, help: 'take the caller’s address from X-Forwarded-For' },
  { key: 'ollama', schema: httpAddress, default: 'http://127.0.0.1:11434', flag: 'ollama', help: 'address of Ollama' },
  {
    key: 'embedder',
    schema: embedderSetting,
    default: 'auto',
    flag: 'embedder',
    help: 'auto, builtin or ollama:MODEL; auto keeps what `models use` chose, a name here beats it at every start',
  },
  {
    key: 'embedder_check_ms',
    schema: milliseconds,
    default: 86_400_000,
    help: 'how often it is checked that the model still gives the vectors of the index, beside every start',
  },
  {
    key: 'fusion_weight',
    schema: decimal(0, 10).nullable(),
    default: null,
    help: 'what vectors count beside words, which count 1; without it, what is known of the embedder (`npm run quality -- fusion` measures it)',
  },
  {
    key: 'reranker',
    schema: rerankerSetting,
    default: 'auto',
    flag: 'reranker',
    help: 'auto, builtin, none, ollama:MODEL or the address of a rerank endpoint',
  },
  {
    key: 'rerank.model',
    schema: z.string('must be a name').min(1, 'must not be empty').nullable(),
    default: null,
    help: 'model to ask a rerank endpoint for, where it wants one',
  },
  { key: 'rerank.deadline_ms', schema: milliseconds, default: 2_000, help: 'time a reranking model has for one question' },
  { key: 'rerank.candidates', schema: integer(1, 50), default: 25, help: 'passages a model judges for one question' },
  { key: 'rerank.passage_tokens', schema: integer(32, 2048), default: 512, help: 'tokens of a passage shown to a model' },
  { key: 'rerank.parallel', schema: integer(1, 32), default: 1, help: 'passages in flight to Ollama, see OLLAMA_NUM_PARALLEL' },
  { key: 'rate_limit', schema: integer(0, 1_000_000), default: 600, help: 'requests a minute for a key, 0 for none' },
  { key: 'login_failures', schema: integer(0, 1_000_000), default: 10, help: 'failed logins in 15 minutes, 0 for no limit' },
  {
    key: 'log_level',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'),
    default: 'info',
    flag: 'logLevel',
    help: 'debug, info, warn, error or silent',
  },
  { key: 'parse.workers', schema: integer(1, 64), default: Math.min(availableParallelism(), 8), help: 'parser processes' },
  {
    key: 'pdf.engine',
    schema: z.enum(['pdfium', 'pdf2json'], 'must be pdfium or pdf2json'),
    default: 'pdfium',
    help: 'PDF engine tried first',
  },
  {
    key: 'parse.ocr_command',
    schema: commandLine(['{input}', '{output}']).nullable(),
    default: null,
    help: 'program that reads scanned pages, e.g. "ocrmypdf --skip-text {input} {output}"; run without a shell',
  },
  { key: 'limits.file_bytes', schema: bytes, default: L.fileBytes, help: 'size of one file' },
  { key: 'limits.request_files', schema: integer(1, 1000), default: L.requestFiles, help: 'files in one request' },
  { key: 'limits.request_bytes', schema: bytes, default: L.requestBytes, help: 'size of one request' },
  { key: 'limits.pages', schema: integer(1, 1_000_000), default: L.pages, help: 'pages of a document' },
  { key: 'limits.parse_ms', schema: milliseconds, default: L.parseMs, help: 'time to parse a document' },
  { key: 'limits.parse_stall_ms', schema: milliseconds, default: L.parseStallMs, help: 'time without a page while parsing' },
  { key: 'limits.ocr_ms', schema: milliseconds, default: L.ocrMs, help: 'time for parse.ocr_command with one document' },
  { key: 'limits.parse_memory_bytes', schema: bytes, default: L.parseMemoryBytes, help: 'memory of a parser' },
  { key: 'limits.text_bytes', schema: bytes, default: L.textBytes, help: 'text of a document' },
  { key: 'limits.xml_bytes', schema: bytes, default: L.xmlBytes, help: 'XML inflated for a DOCX' },
  { key: 'limits.query_chars', schema: integer(1, 4000), default: L.queryChars, help: 'characters of a question' },
]

export function environmentName(key: string): string {
  return `DOCSEARCH_${key.toUpperCase().replaceAll('.', '_')}`
}

/** Variables that are read elsewhere (the command line, tests): no settings, but no typing errors either. */
export const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  'DOCSEARCH_DATA',
  'DOCSEARCH_SERVER',
  'DOCSEARCH_TOKEN',
  'DOCSEARCH_PROFILE',
  'DOCSEARCH_CLIENT_SECRET',
  'DOCSEARCH_RERANK_KEY',
])
