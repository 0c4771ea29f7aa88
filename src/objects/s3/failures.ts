import { DocsearchError } from '../../core/errors.ts'

/** The part of the SDK's errors that docsearch looks at. */
interface ServiceError extends Error {
  code?: string
  $metadata?: { httpStatusCode?: number }
}

/** An attempt that ran out of time. */
export class StoreTimeout extends Error {
  override name = 'StoreTimeout'
}

/** A connection that ended before the last byte of an object, or an answer that is not that of an S3 store. */
export class BadAnswer extends Error {
  override name = 'BadAnswer'
}

/** The name of the SDK's error when it could not connect in time. */
const NO_CONNECTION = 'TimeoutError'
/** When a client may try again. */
const RETRY_SECONDS = 5
/** Answers after which a repeated request can succeed. 409 is S3's answer to two conditional writes at the same time. */
const PASSING_STATUS = new Set([408, 409, 425, 429, 500, 502, 503, 504, 509])
/** Like PASSING_STATUS, for errors with other statuses. */
const PASSING_NAMES = new Set([
  // The SDK signs the next request with the store's time, or with a new credential.
  'RequestTimeTooSkewed',
  'ExpiredToken',
  'ExpiredTokenException',
  // Bytes got lost or changed on their way.
  'BadDigest',
  'IncompleteBody',
  'RequestTimeout',
  'XAmzContentSHA256Mismatch',
])

/** Fields of errors that docsearch uses or logs. */
const FIELDS = new Set(
  'name message stack cause code errno syscall path address port Code RequestId HostId $fault $metadata'.split(' '),
)

/**
 * Removes all other fields of an error. Some come from the store's answer and contain credentials: Amazon S3 repeats a session token that has
 * expired.
 */
export function hideAnswer(error: unknown): void {
  if (!(error instanceof Error) || error instanceof DocsearchError) return
  for (const field of Object.keys(error)) if (!FIELDS.has(field)) Reflect.deleteProperty(error, field)
}

export function statusOf(error: unknown): number | undefined {
  return (error as ServiceError).$metadata?.httpStatusCode
}

export function isMissing(error: unknown): boolean {
  const { name } = error as Error
  return statusOf(error) === 404 && name !== 'NoSuchBucket'
}

/** True if a conditional write was not carried out because of its condition. */
export function isConditionFailed(error: unknown): boolean {
  return statusOf(error) === 412
}

/** True if the same request can succeed a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StoreTimeout || error instanceof BadAnswer) return true
  const status = statusOf(error)
  // An error without an answer: no connection, or one that broke. An error of the file system has no answer either, but is about a local file.
  if (status === undefined) return !isAboutLocalFile(error) && !isAboutCredentials(error)
  // A successful answer that can't be read was damaged on its way.
  return status < 300 || PASSING_STATUS.has(status) || PASSING_NAMES.has((error as Error).name)
}

/** True if the store may have carried out a request that failed. */
export function isAmbiguous(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status >= 500 || status === 408 || status < 300
}

/** Turns the SDK's error into one that an operator can act on. Returns errors about local files as they are. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof DocsearchError || isAboutLocalFile(error)) return error
  const said = reasonOf(error)
  if (isPassing(error))
    return new DocsearchError('store_unavailable', `The object store does not answer: ${said}. docsearch tries again.`, {
      cause: error,
      retryAfter: RETRY_SECONDS,
    })
  return new DocsearchError(
    'store_refused',
    `The object store refuses a request: ${said}. Check the bucket, the credentials and their permissions.`,
    { cause: error, retryAfter: RETRY_SECONDS },
  )
}

/** Returns what is wrong in a few words, without the request, its headers or an address. */
function reasonOf(error: unknown): string {
  if (error instanceof StoreTimeout || error instanceof BadAnswer) return error.message
  const { name, code, cause } = error as ServiceError
  if (name === NO_CONNECTION && code === undefined) return 'no connection in time'
  const status = statusOf(error)
  const known = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? name
  return status === undefined ? known : `${name === 'Error' ? 'HTTP' : name} (status ${status})`
}

function isAboutLocalFile(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).path === 'string' && (error as NodeJS.ErrnoException).syscall !== 'connect'
}

function isAboutCredentials(error: unknown): boolean {
  return (error as Error).name === 'CredentialsProviderError'
}
