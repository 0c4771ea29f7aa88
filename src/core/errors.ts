/** Whose fault an error is: the user's, something outside (a disk, Ollama, a file), or docsearch's own. */
export type Fault = 'user' | 'outside' | 'internal'

type FaultTable = Record<string, Fault>

/** Codes that an answer of the API can carry. http/problems/problems.ts gives each its HTTP status. */
const API_CODES = {
  // The request
  invalid_request: 'user',
  invalid_json: 'user',
  invalid_multipart: 'user',
  invalid_cursor: 'user',
  invalid_query: 'user',
  invalid_http: 'user',
  headers_too_large: 'user',
  request_timeout: 'user',
  body_too_large: 'user',
  unsupported_media_type: 'user',
  method_not_allowed: 'user',
  range_not_satisfiable: 'user',
  host_not_allowed: 'user',
  origin_not_allowed: 'user',
  csrf_failed: 'user',
  // Access
  unauthorized: 'user',
  invalid_token: 'user',
  insufficient_scope: 'user',
  owner_only: 'user',
  insufficient_role: 'user',
  limited_to_projects: 'user',
  rate_limited: 'user',
  too_many_streams: 'user',
  too_many_failures: 'user',
  // Things that do not exist
  not_found: 'user',
  project_not_found: 'user',
  document_not_found: 'user',
  page_not_found: 'user',
  no_page_images: 'user',
  key_not_found: 'user',
  client_not_found: 'user',
  connection_not_found: 'user',
  user_not_found: 'user',
  member_not_found: 'user',
  index_not_found: 'user',
  synonym_not_found: 'user',
  saved_search_not_found: 'user',
  webhook_not_found: 'user',
  delivery_not_found: 'user',
  // Conflicts with what exists
  project_exists: 'user',
  ambiguous_name: 'user',
  last_manager: 'user',
  document_exists: 'user',
  path_taken: 'user',
  is_attachment: 'user',
  user_exists: 'user',
  owner_exists: 'user',
  owner_stays: 'user',
  user_disabled: 'user',
  client_is_public: 'user',
  text_not_ready: 'user',
  model_in_use: 'user',
  too_many_keys: 'user',
  too_many_members: 'user',
  project_is_private: 'user',
  everyone_cannot_manage: 'user',
  too_many_synonyms: 'user',
  saved_search_exists: 'user',
  too_many_saved_searches: 'user',
  synonym_without_effect: 'user',
  too_many_webhooks: 'user',
  webhook_disabled: 'user',
  invalid_webhook_url: 'user',
  backup_running: 'user',
  doctor_running: 'user',
  quota_exceeded: 'user',
  too_many_tags: 'user',
  // Files
  too_large: 'user',
  too_many_files: 'user',
  too_many_parts: 'user',
  unsupported_type: 'user',
  empty_file: 'user',
  encrypted: 'user',
  invalid_name: 'user',
  duplicate_path: 'user',
  cannot_be_processed: 'user',
  page_image_failed: 'user',
  // Accounts and applications
  email_required: 'user',
  password_too_short: 'user',
  password_too_long: 'user',
  password_too_common: 'user',
  invalid_redirect_uri: 'user',
  too_many_redirect_uris: 'user',
  // Models
  model_unusable: 'user',
  pull_failed: 'user',
  model_not_found: 'user',
  embedder_unavailable: 'outside',
  // The instance
  disk_full: 'outside',
  blob_missing: 'outside',
  unavailable: 'outside',
  internal_error: 'internal',
} as const satisfies FaultTable

/** Why a document failed. Stored with the document and shown as its `error.code`, which can also be a code of the API. */
const DOCUMENT_CODES = {
  corrupt: 'user',
  drm_protected: 'user',
  too_many_pages: 'user',
  too_much_text: 'user',
  too_much_xml: 'user',
  too_many_entries: 'user',
  parse_timeout: 'user',
  parse_memory: 'user',
  parser_crashed: 'user',
  out_of_memory: 'outside',
  crashed_daemon: 'user',
} as const satisfies FaultTable

/** The instance and its data folder. The API shows these as `unavailable` or `internal_error`; `serve` and the log show them as they are. */
const INSTANCE_CODES = {
  // Starting
  invalid_configuration: 'user',
  cannot_listen: 'user',
  port_in_use: 'user',
  no_owner: 'user',
  data_in_use: 'user',
  data_newer: 'user',
  data_unusable: 'user',
  no_data_folder: 'user',
  data_readonly: 'outside',
  // Storage
  disk_error: 'outside',
  too_many_files: 'outside',
  database_busy: 'outside',
  database_corrupt: 'outside',
  store_unavailable: 'outside',
  store_refused: 'outside',
  store_unusable: 'user',
  index_corrupt: 'internal',
  index_failed: 'internal',
  writer_replaced: 'outside',
  // Backups
  backup_damaged: 'outside',
  backup_incomplete: 'outside',
  backup_newer: 'user',
  backup_target: 'user',
  // Models
  embedding_model_changed: 'outside',
  embedding_model_missing: 'outside',
} as const satisfies FaultTable

/** RFC 6749 sections 4.1.2.1 and 5.2, RFC 7009, RFC 7591 section 3.2.2, RFC 8628 section 3.5, RFC 8707, and `invalid_redirect_uri` of the interface. */
const OAUTH_CODES = {
  invalid_request: 'user',
  invalid_client: 'user',
  invalid_grant: 'user',
  invalid_redirect_uri: 'user',
  invalid_client_metadata: 'user',
  invalid_scope: 'user',
  invalid_target: 'user',
  unauthorized_client: 'user',
  unsupported_grant_type: 'user',
  unsupported_response_type: 'user',
  unsupported_token_type: 'user',
  access_denied: 'user',
  authorization_pending: 'user',
  slow_down: 'user',
  expired_token: 'user',
  server_error: 'internal',
  temporarily_unavailable: 'outside',
} as const satisfies FaultTable

/** Errors that only the HTTP client and the command line meet. */
const CLIENT_CODES = {
  // The instance
  unreachable: 'outside',
  timeout: 'outside',
  redirected: 'user',
  invalid_answer: 'outside',
  /** An instance sent a code that this version doesn't know; see ClientError.shownCode. */
  unknown_problem: 'user',
  // The login
  not_logged_in: 'user',
  invalid_credential: 'user',
  login_busy: 'user',
  login_denied: 'user',
  login_ended: 'user',
  login_mismatch: 'user',
  login_refused: 'user',
  login_timed_out: 'user',
  loopback_unavailable: 'user',
  oauth_unsupported: 'user',
  wrong_issuer: 'user',
  // Settings and files on this computer
  invalid_address: 'user',
  unknown_profile: 'user',
  settings_invalid: 'user',
  settings_unreadable: 'user',
  settings_unwritable: 'user',
  file_changed: 'user',
  file_exists: 'user',
  file_unreadable: 'user',
  file_unopenable: 'user',
  file_unwritable: 'user',
  output_unwritable: 'user',
  // The command
  usage: 'user',
  ambiguous_name: 'user',
  aborted: 'user',
  partial_failure: 'user',
  replaced: 'user',
} as const satisfies FaultTable

/** Every error code of the project, with whose fault it is. A code that is not here does not compile. */
export const ERROR_CODES = { ...API_CODES, ...DOCUMENT_CODES, ...INSTANCE_CODES, ...OAUTH_CODES, ...CLIENT_CODES } as const

export type ErrorCode = keyof typeof ERROR_CODES
export type ApiErrorCode = keyof typeof API_CODES
export type OAuthErrorCode = keyof typeof OAUTH_CODES

/** For a code that came from another process or another version. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code)
}

export function isApiErrorCode(code: string): code is ApiErrorCode {
  return Object.hasOwn(API_CODES, code)
}

/** Failures in the middle of a document that a second attempt would meet again: the pages read before are kept, and the code becomes a warning. */
const CUT_SHORT_CODES = ['parse_timeout', 'parse_memory', 'parser_crashed'] as const satisfies ErrorCode[]
export type CutShortCode = (typeof CUT_SHORT_CODES)[number]

export function isCutShortCode(code: ErrorCode): code is CutShortCode {
  return CUT_SHORT_CODES.some((known) => known === code)
}

/** What a search may miss although the document is ready: the codes of its `warnings`. */
export type WarningCode =
  | 'no_text'
  | 'pages_without_text'
  | 'cells_skipped'
  | 'messages_damaged'
  | 'attachments_skipped'
  | 'ocr_failed'
  | 'chunk_not_embedded'
  | 'original_damaged'
  | CutShortCode

export interface DocsearchErrorOptions {
  /** Where this one error differs from the table, such as a damaged installation reported as `internal_error`. */
  fault?: Fault
  cause?: unknown
  /** Facts for programs, shown to the caller next to the message; never a path, a secret or a text. */
  details?: Record<string, unknown>
  /** Seconds after which trying again makes sense. */
  retryAfter?: number
}

/** Registered for the whole process, because the bundle of the command line has its own copy of this module. */
const BRAND = Symbol.for('docsearch.error')

/**
 * The one error of the project. `message` is a sentence that the user can act on.
 * http/problems/problems.ts maps codes to HTTP statuses and cli/exit.ts to exit codes; nothing else does.
 */
export class DocsearchError extends Error {
  readonly [BRAND] = true
  readonly code: ErrorCode
  readonly fault: Fault
  readonly details: Record<string, unknown>
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, options: DocsearchErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DocsearchError'
    this.code = code
    this.fault = options.fault ?? ERROR_CODES[code]
    this.details = options.details ?? {}
    this.retryAfter = options.retryAfter
  }

  /** Recognises errors of other copies of this module too. Subclasses recognise only their own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== DocsearchError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && BRAND in value
  }
}

/** Returns whether the error is a DocsearchError, and has this code if one is given. */
export function isDocsearchError(error: unknown, code?: ErrorCode): error is DocsearchError {
  return error instanceof DocsearchError && (code === undefined || error.code === code)
}
