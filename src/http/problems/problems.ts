import { STATUS_CODES } from 'node:http'
import type { Problem } from '../../contract/common.ts'
import { DocsearchError, isApiErrorCode, type ApiErrorCode, type ErrorCode } from '../../core/errors.ts'

/**
 * The HTTP status of every code that an answer of the API can carry. A code of the API that is missing here does not compile.
 * `say` replaces the error's own message where that could show a path or another detail of the instance.
 */
export const PROBLEMS = {
  invalid_request: { status: 400, means: 'A parameter, field or body does not validate; `errors` lists every fault.' },
  invalid_json: { status: 400, means: 'The body is not JSON, or has a forbidden field such as `__proto__`.' },
  invalid_multipart: { status: 400, means: 'The multipart body is malformed or was cut off.' },
  invalid_http: { status: 400, means: 'What arrived is not an HTTP/1.1 request.' },
  request_timeout: { status: 408, means: 'The headers of the request did not arrive in time.' },
  headers_too_large: { status: 431, means: 'The headers of the request are over 64 kB.' },
  invalid_cursor: { status: 400, means: '`cursor` is not one of ours.' },
  invalid_query: { status: 400, means: 'The query has nothing to look for, or too many operators; the sentence says which.' },
  invalid_redirect_uri: { status: 400, means: 'A redirect address cannot be registered; the sentence says which and why.' },
  too_many_redirect_uris: { status: 400, means: 'More redirect addresses than one application may have.' },
  unauthorized: { status: 401, means: 'No credential was sent.' },
  invalid_token: { status: 401, means: 'The credential is unknown, revoked or expired.' },
  insufficient_scope: { status: 403, means: 'The credential lacks the scope named in `scope`.' },
  owner_only: { status: 403, means: 'Only the owner of the instance may do this.' },
  host_not_allowed: { status: 403, means: 'The Host header names an address this instance does not answer to.' },
  csrf_failed: { status: 403, means: 'Pages only: the form did not come from a page of this instance in this browser.' },
  index_not_found: { status: 404, means: 'There is no index of this model.' },
  not_found: { status: 404, means: 'There is nothing at this path.' },
  project_not_found: { status: 404, means: 'No project of yours has this id or name.' },
  document_not_found: { status: 404, means: 'No document of yours has this id.' },
  page_not_found: { status: 404, means: 'The document has no such page.' },
  key_not_found: { status: 404, means: 'No key of yours has this id.' },
  client_not_found: { status: 404, means: 'No application of yours has this `client_id`.' },
  connection_not_found: { status: 404, means: 'No application with this `client_id` is connected to your account.' },
  user_not_found: { status: 404, means: 'No user has this id or email.' },
  method_not_allowed: { status: 405, means: 'The path exists, the method does not; see `Allow`.' },
  model_in_use: { status: 409, means: 'Searches use the index of this model; use another one first.' },
  user_exists: { status: 409, means: 'Another user has this email.' },
  owner_exists: { status: 409, means: 'The owner has an account already, and there is one owner.' },
  owner_stays: { status: 409, means: 'The owner of the instance cannot be disabled or deleted.' },
  user_disabled: { status: 409, means: 'The user is disabled; enable the user first.' },
  client_is_public: { status: 409, means: 'A public application has no secret.' },
  project_exists: { status: 409, means: 'Another project of yours has this name.' },
  document_exists: { status: 409, means: '`on_conflict=error`, and the path is taken by other bytes.' },
  text_not_ready: { status: 409, means: 'The text has not been extracted yet, or could not be.' },
  too_large: { status: 413, means: 'A file is over the limit for one file.' },
  body_too_large: { status: 413, means: 'The request body is over its limit.' },
  too_many_files: { status: 413, means: 'More files than one request may carry.' },
  too_many_parts: { status: 413, means: 'More multipart parts than one request may carry.' },
  unsupported_media_type: { status: 415, means: 'The Content-Type or Content-Encoding of the request is not taken here.' },
  unsupported_type: { status: 415, means: "The file's content is of no type that can be searched." },
  range_not_satisfiable: { status: 416, means: 'The range begins after the end of the file.' },
  empty_file: { status: 422, means: 'The file has no bytes.' },
  encrypted: { status: 422, means: 'The file is protected by a password.' },
  model_unusable: { status: 422, means: 'Nothing can be embedded with this model now; the sentence says why.' },
  pull_failed: { status: 422, means: 'Ollama could not download the model; the sentence says why.' },
  invalid_name: { status: 422, means: 'A file name is empty, too long or has control characters.' },
  email_required: { status: 422, means: 'The account has no email address to log in with.' },
  password_too_short: { status: 422, means: 'The password has fewer than 10 characters.' },
  password_too_long: { status: 422, means: 'The password has more than 1,000 characters.' },
  password_too_common: { status: 422, means: "The password is among those tried first, or the person's own name or address." },
  duplicate_path: { status: 422, means: 'Two different files of one request have the same path.' },
  cannot_be_processed: { status: 422, means: 'The files were refused for different reasons; see `rejected`.' },
  rate_limited: { status: 429, means: 'Too many requests; `Retry-After` says when to go on.' },
  too_many_failures: { status: 429, means: 'Too many failed logins; `Retry-After` says when to go on.' },
  internal_error: {
    status: 500,
    means: 'A fault of the instance; its log has it under `request_id`.',
    say: 'The instance failed. Its log has the reason under this request_id.',
  },
  blob_missing: {
    status: 500,
    means: 'The original of this document is missing on the disk.',
    say: 'The original of this document is missing on the disk of the instance. Upload the document again.',
  },
  unavailable: {
    status: 503,
    means: 'Something the instance needs is not there now; try again.',
    say: 'The instance cannot do this right now. Try again shortly.',
  },
  embedder_unavailable: {
    status: 503,
    means: 'The embedding model cannot be reached.',
    say: 'The embedding model cannot be reached right now. Try again shortly.',
  },
  disk_full: {
    status: 507,
    means: 'No room is left on the disk of the instance; nothing was stored.',
    say: 'No room is left on the disk of the instance. Nothing was stored; free some space and send it again.',
  },
} as const satisfies Record<ApiErrorCode, Entry>

interface Entry {
  status: number
  means: string
  say?: string
}

const DEFAULT_RETRY_SECONDS = 5

/** An error of this layer. */
export function fail(code: ApiErrorCode, message: string, details: Record<string, unknown> = {}): DocsearchError {
  return new DocsearchError(code, message, { details })
}

/** The HTTP status of an error. A code that is not the API's gets one by whose fault it is. */
export function statusOf(error: unknown): number {
  if (error instanceof DocsearchError) {
    if (isApiErrorCode(error.code)) return PROBLEMS[error.code].status
    if (error.fault !== 'user' && isNoSpace(error)) return 507
    return { user: 422, outside: 503, internal: 500 }[error.fault]
  }
  // The daemon stops, or the client has gone and nobody reads it.
  if (error instanceof Error && error.name === 'AbortError') return 503
  return isNoSpace(error) ? 507 : 500
}

/** A full disk or quota, however deep it lies in the causes. */
export function isNoSpace(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') return true
  }
  return false
}

/** The body of an error's answer, and the headers that go with it. A 5xx shows only sentences of this file. */
export function toProblem(
  error: unknown,
  requestId: string,
  baseUrl: string,
): { problem: Problem; headers: Record<string, string> } {
  const status = statusOf(error)
  const code = codeOf(error, status)
  const entry: Entry | undefined = isApiErrorCode(code) ? PROBLEMS[code] : undefined
  const known = error instanceof DocsearchError ? error : null
  const problem: Problem = {
    ...(status < 500 ? known?.details : {}),
    type: `${baseUrl}/api/docs#problem-${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: status >= 500 ? (entry?.say ?? entry?.means ?? PROBLEMS.unavailable.say) : (known?.message ?? ''),
    code,
    request_id: requestId,
  }
  const headers: Record<string, string> = {}
  const retryAfter = known?.retryAfter ?? (status === 503 ? DEFAULT_RETRY_SECONDS : undefined)
  if (retryAfter !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfter)))
  return { problem, headers }
}

function codeOf(error: unknown, status: number): ErrorCode {
  if (status === 507) return 'disk_full'
  if (!(error instanceof DocsearchError)) return status === 503 ? 'unavailable' : 'internal_error'
  if (isApiErrorCode(error.code) || status < 500) return error.code
  return status === 503 ? 'unavailable' : 'internal_error'
}
