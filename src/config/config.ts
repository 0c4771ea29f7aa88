/** Everything that can be set, resolved and checked: defaults < config.json < environment DOCSEARCH_* < flags. Frozen. */
export interface Config {
  host: string
  /** 0 takes a free one. */
  port: number
  dataDir: string
  publicUrl: string | null
  /** Further names accepted in the Host header. */
  allowedHosts: readonly string[]
  trustProxy: boolean
  ollamaUrl: string
  /** `auto`, `builtin` or `ollama:MODEL`. */
  embedder: string
  /** Milliseconds between two looks at whether the model still gives the vectors of the index. */
  embedderCheckMs: number
  /** Of the vector channel, where words have 1; null takes the embedder's own. */
  fusionWeight: number | null
  /** `auto`, `builtin`, `none`, `ollama:MODEL` or the address of a rerank endpoint. */
  reranker: string
  rerank: RerankConfig
  /** Requests a minute for a key, 0 for none. */
  rateLimit: number
  /** Failed logins in 15 minutes for an account, and for an address; 0 for no limit. */
  loginFailures: number
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Parser processes; default one for each core. */
  parseWorkers: number
  /** Which PDF engine is tried first. */
  pdfEngine: 'pdfium' | 'pdf2json'
  /** Program and arguments that read pages without text, with `{input}` and `{output}`; null for none. */
  ocrCommand: readonly string[] | null
  limits: Limits
}

export interface RerankConfig {
  /** What a rerank endpoint is asked for; null leaves it to the endpoint. */
  model: string | null
  /** For a rerank endpoint, from the environment only. */
  key: string | null
  /** Milliseconds a model has for one question. */
  deadlineMs: number
  /** How many of the best passages a model judges, and tokens of each. */
  candidates: number
  passageTokens: number
  /** Passages in flight at a time to a model on Ollama. */
  parallel: number
}

export interface Limits {
  /** Bytes of one file. */
  fileBytes: number
  /** Files in one request. */
  requestFiles: number
  /** Bytes of one request. */
  requestBytes: number
  pages: number
  /** Milliseconds to parse a document in all, and without a new page. */
  parseMs: number
  parseStallMs: number
  /** Milliseconds for the program of `ocrCommand`. */
  ocrMs: number
  /** Bytes of resident memory of a parser. */
  parseMemoryBytes: number
  /** Bytes of text (UTF-8) of a document. */
  textBytes: number
  /** Bytes of XML inflated for a DOCX. */
  xmlBytes: number
  /** Characters of a question. */
  queryChars: number
}

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
}
