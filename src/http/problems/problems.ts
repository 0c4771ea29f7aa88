import { STATUS_CODES } from 'node:http'
import type { Problem } from '../../contract/common.ts'
import { DocsearchError, isApiErrorCode, type ApiErrorCode, type ErrorCode } from '../../core/errors.ts'
import { shorten } from '../../core/text-limits.ts'

/**
 * The HTTP status of every code that an answer of the API can carry. A code of the API that is missing here does not compile.
 * `say` replaces the error's own message where that could show a path or another detail of the instance.
 */
export const PROBLEMS = {
  invalid_request: { status: 400, means: 'A parameter, a field or the body is invalid; `errors` lists the first 20 faults.' },
  invalid_json: { status: 400, means: 'The body is not JSON, or has a forbidden field such as `__proto__`.' },
  invalid_multipart: { status: 400, means: 'The multipart body is malformed or was cut off.' },
  invalid_http: { status: 400, means: 'The request is not valid HTTP/1.1.' },
  request_timeout: { status: 408, means: 'The headers or the body of the request did not arrive in time.' },
  headers_too_large: { status: 431, means: 'The headers of the request are over 64 kB.' },
  invalid_cursor: { status: 400, means: '`cursor` did not come from a list of this instance.' },
  invalid_query: { status: 400, means: 'The query has nothing to look for, or too many operators; `detail` says which.' },
  invalid_redirect_uri: { status: 400, means: 'A redirect address cannot be registered; `detail` says which and why.' },
  too_many_redirect_uris: { status: 400, means: 'The application has more redirect addresses than allowed.' },
  unauthorized: { status: 401, means: 'No credential was sent.' },
  invalid_token: { status: 401, means: 'The credential is unknown, revoked or expired, or was issued for another resource.' },
  insufficient_scope: { status: 403, means: 'The credential lacks the scope named in `scope`.' },
  owner_only: { status: 403, means: 'Only the owner of the instance may do this.' },
  insufficient_role: { status: 403, means: 'Your role in the project is too low; `role` names the role that this needs.' },
  limited_to_projects: {
    status: 403,
    means:
      'The credential is limited to certain projects, and this request concerns more than these projects. Use a credential without a limit.',
  },
  host_not_allowed: { status: 403, means: 'The Host header names an address this instance does not answer to.' },
  origin_not_allowed: { status: 403, means: 'The request comes from a web page of another origin.' },
  csrf_failed: { status: 403, means: 'Browser only: the form did not come from a view of this instance in this browser.' },
  index_not_found: { status: 404, means: 'There is no index of this model.' },
  not_found: { status: 404, means: 'There is nothing at this path.' },
  project_not_found: { status: 404, means: 'You have no project with this ID or name.' },
  document_not_found: { status: 404, means: 'You have no document with this ID.' },
  page_not_found: { status: 404, means: 'The document has no such page.' },
  no_page_images: { status: 404, means: 'The document has no images of pages, because it is neither a PDF nor a picture.' },
  key_not_found: { status: 404, means: 'You have no key with this ID.' },
  synonym_not_found: { status: 404, means: 'The project has no synonyms with this ID.' },
  saved_search_not_found: { status: 404, means: 'You have no saved search with this ID.' },
  webhook_not_found: { status: 404, means: 'The project has no webhook with this ID.' },
  delivery_not_found: { status: 404, means: 'The log of the webhook has no delivery with this ID.' },
  client_not_found: { status: 404, means: 'You have registered no application with this `client_id`.' },
  connection_not_found: { status: 404, means: 'No application with this `client_id` is connected to your account.' },
  user_not_found: { status: 404, means: 'No user has this ID or email.' },
  member_not_found: { status: 404, means: 'The project has no such member.' },
  method_not_allowed: { status: 405, means: 'The path does not support this method; `Allow` lists those it supports.' },
  model_in_use: { status: 409, means: 'Searches use the index of this model. Change to another model first.' },
  user_exists: { status: 409, means: 'Another user has this email.' },
  owner_exists: { status: 409, means: 'The instance already has an owner, and it can have only one.' },
  owner_stays: { status: 409, means: 'The owner of the instance cannot be disabled or deleted.' },
  user_disabled: { status: 409, means: 'The user is disabled; enable the user first.' },
  client_is_public: { status: 409, means: 'A public application has no secret.' },
  ambiguous_name: { status: 409, means: 'Several of your projects have this name; `candidates` lists them. Use an ID.' },
  last_manager: { status: 409, means: 'The project would have no manager. Make another member a manager first.' },
  project_exists: { status: 409, means: 'Another project of yours has this name.' },
  saved_search_exists: { status: 409, means: 'You have saved this search already; `id` is its ID.' },
  document_exists: { status: 409, means: 'A document with other content has this path, and `on_conflict` is `error`.' },
  path_taken: { status: 409, means: 'Another document of the project has this path.' },
  is_attachment: { status: 409, means: 'The document is an attachment, which follows its message. Change the message instead.' },
  doctor_running: { status: 409, means: 'Another examination is running. Try again when it has ended.' },
  backup_running: { status: 409, means: 'Another backup is running. Try again when it has ended.' },
  text_not_ready: { status: 409, means: 'The text has not been extracted yet, or could not be extracted.' },
  webhook_disabled: { status: 409, means: 'The webhook is off. Turn it on first.' },
  too_large: { status: 413, means: 'A file is larger than the limit for one file.' },
  body_too_large: { status: 413, means: 'The request body is larger than its limit.' },
  too_many_files: { status: 413, means: 'The request has more files than allowed.' },
  too_many_parts: { status: 413, means: 'The request has more multipart parts than allowed.' },
  unsupported_media_type: { status: 415, means: 'The endpoint does not accept this Content-Type or Content-Encoding.' },
  unsupported_type: { status: 415, means: 'The content of the file has no format that docsearch reads.' },
  range_not_satisfiable: { status: 416, means: 'The range starts after the end of the file.' },
  too_many_keys: { status: 422, means: 'You have reached the limit of API keys. Delete one first.' },
  too_many_synonyms: { status: 422, means: 'Your projects would have more synonyms than allowed (`limits.synonyms`).' },
  too_many_saved_searches: { status: 422, means: 'You have as many saved searches as a user can have. Delete one first.' },
  synonym_without_effect: {
    status: 422,
    means: 'A search could not find anything more by one of the rules. `errors` lists these rules.',
  },
  too_many_webhooks: { status: 422, means: 'The project has reached the limit of webhooks (`limits.webhooks`).' },
  invalid_webhook_url: { status: 422, means: 'A webhook cannot have this address; `detail` says why.' },
  too_many_members: { status: 422, means: 'The project has as many members as a project can have.' },
  project_is_private: { status: 422, means: 'The project `default` of each user is private: it has no other members.' },
  everyone_cannot_manage: { status: 422, means: '`everyone` can be a reader or a writer, but not a manager.' },
  too_many_tags: { status: 422, means: 'The document would have more than 100 tags.' },
  quota_exceeded: { status: 422, means: 'Your documents would exceed a quota; `detail` says which, its value and what you use.' },
  empty_file: { status: 422, means: 'The file has no bytes.' },
  encrypted: { status: 422, means: 'The file is protected by a password.' },
  model_unusable: { status: 422, means: 'This model cannot be used now; `detail` says why.' },
  model_not_found: { status: 404, means: 'There is no model of this name to download.' },
  pull_failed: { status: 422, means: 'Ollama could not download the model; `detail` says why.' },
  invalid_name: { status: 422, means: 'A file name is empty, too long or has control characters.' },
  email_required: { status: 422, means: 'The account has no email address to log in with.' },
  password_too_short: { status: 422, means: 'The password has fewer than 10 characters.' },
  password_too_long: { status: 422, means: 'The password has more than 1,000 characters.' },
  password_too_common: {
    status: 422,
    means: "The password is one of the first that an attacker tries, or the user's own name or email.",
  },
  duplicate_path: { status: 422, means: 'Two different files of one request have the same path.' },
  cannot_be_processed: { status: 422, means: 'The files were refused for different reasons; see `rejected`.' },
  page_image_failed: { status: 422, means: 'The page cannot be shown as an image; `detail` says why.' },
  rate_limited: { status: 429, means: 'Too many requests; `Retry-After` says when to try again.' },
  too_many_streams: { status: 429, means: 'You have reached the limit of open event streams. Close one first.' },
  too_many_failures: { status: 429, means: 'Too many failed logins; `Retry-After` says when to try again.' },
  internal_error: {
    status: 500,
    means: 'Internal error. The server log has it under `request_id`.',
    say: 'Internal error. See the server log for this request_id.',
  },
  blob_missing: {
    status: 500,
    means: 'The original of this document is missing on the disk.',
    say: 'The original of this document is missing on the disk of the instance. Upload the document again.',
  },
  unavailable: {
    status: 503,
    means: 'Something that the instance needs is unavailable. Try again.',
    say: 'The instance cannot do this right now. Try again shortly.',
  },
  embedder_unavailable: {
    status: 503,
    means: 'The embedding model cannot be reached.',
    say: 'The embedding model cannot be reached right now. Try again shortly.',
  },
  disk_full: {
    status: 507,
    means: 'The disk of the instance is full.',
    say: 'The disk of the instance is full. Free some space, then try again.',
  },
} as const satisfies Record<ApiErrorCode, Entry>

interface Entry {
  status: number
  means: string
  say?: string
}

const DEFAULT_RETRY_SECONDS = 5

/** Returns an error with a code of the API. */
export function fail(code: ApiErrorCode, message: string, details: Record<string, unknown> = {}): DocsearchError {
  return new DocsearchError(code, message, { details })
}

/** Returns the HTTP status of an error. A code that is not the API's gets its status by whose fault the error is. */
export function statusOf(error: unknown): number {
  if (error instanceof DocsearchError) {
    if (isApiErrorCode(error.code)) return PROBLEMS[error.code].status
    if (error.fault !== 'user' && isNoSpace(error)) return 507
    return { user: 422, outside: 503, internal: 500 }[error.fault]
  }
  // The daemon is stopping, or the client has gone and won't read the answer.
  if (error instanceof Error && error.name === 'AbortError') return 503
  return isNoSpace(error) ? 507 : 500
}

/** True for a full disk or quota, also among the error's causes. */
export function isNoSpace(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') return true
  }
  return false
}

/** Returns the body and the headers of an error's answer. */
export function toProblem(
  error: unknown,
  requestId: string,
  baseUrl: string,
): { problem: Problem; headers: Record<string, string> } {
  const { status, code, detail } = shownError(error)
  const known = error instanceof DocsearchError ? error : null
  const problem = fitProblem({
    ...(status < 500 ? known?.details : {}),
    type: `${baseUrl}/api/docs#problem-${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
    request_id: requestId,
  })
  const headers: Record<string, string> = {}
  const retryAfter = known?.retryAfter ?? (status === 503 ? DEFAULT_RETRY_SECONDS : undefined)
  if (retryAfter !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfter)))
  return { problem, headers }
}

/** Returns the part of an error that a caller may see. A 5xx shows only messages from this file. */
export function shownError(error: unknown): { status: number; code: ErrorCode; detail: string } {
  const status = statusOf(error)
  const code = codeOf(error, status)
  if (status < 500) return { status, code, detail: error instanceof DocsearchError ? error.message : '' }
  const entry: Entry | undefined = isApiErrorCode(code) ? PROBLEMS[code] : undefined
  return { status, code, detail: entry?.say ?? entry?.means ?? PROBLEMS.unavailable.say }
}

function codeOf(error: unknown, status: number): ErrorCode {
  if (status === 507) return 'disk_full'
  if (!(error instanceof DocsearchError)) return status === 503 ? 'unavailable' : 'internal_error'
  if (isApiErrorCode(error.code) || status < 500) return error.code
  return status === 503 ? 'unavailable' : 'internal_error'
}

/** The maximum size of an error answer. */
export const MAX_PROBLEM_BYTES = 4_000
/** In JSON, a character takes up to six bytes. */
const MAX_DETAIL_CHARS = 400

/**
 * Returns the problem within `MAX_PROBLEM_BYTES`, because a problem can repeat what the caller sent. Cuts or leaves out what
 * doesn't fit, the longest facts and the last `errors` first.
 */
function fitProblem(problem: Problem): Problem {
  if (bytesOf(problem) <= MAX_PROBLEM_BYTES) return problem
  const { type, title, status, detail, code, request_id, errors, ...facts } = problem
  let fitting: Problem = { type, title, status, detail: shorten(detail, MAX_DETAIL_CHARS), code, request_id }
  const add = (more: Partial<Problem>): boolean => {
    const next = { ...fitting, ...more }
    const fits = bytesOf(next) <= MAX_PROBLEM_BYTES
    if (fits) fitting = next
    return fits
  }
  for (const name of Object.keys(facts).toSorted((a, b) => bytesOf(facts[a]) - bytesOf(facts[b]))) add({ [name]: facts[name] })
  if (errors !== undefined) for (let count = 1; count <= errors.length && add({ errors: errors.slice(0, count) }); count++);
  return fitting
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
