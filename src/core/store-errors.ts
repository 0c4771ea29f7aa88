import { DocsearchError } from './errors.ts'

/** How long a client should wait before it tries again after a failure of the object store. */
const RETRY_SECONDS = 5

export function storeUnavailable(cause: unknown): DocsearchError {
  return new DocsearchError(
    'store_unavailable',
    'The object store does not answer, so the search index cannot be read or written. docsearch tries again.',
    {
      cause,
      retryAfter: RETRY_SECONDS,
    },
  )
}

export function storeRefused(cause: unknown): DocsearchError {
  return new DocsearchError(
    'store_refused',
    'The object store refused a request for the search index. Check the bucket, the credentials and their permissions.',
    { cause, retryAfter: RETRY_SECONDS },
  )
}

/** Elements of a store's answer that contain credentials or signatures. Amazon S3 repeats a session token that has expired. */
const SECRET_ELEMENTS = /<(Token-\d+|AWSAccessKeyId|SignatureProvided|StringToSign\w*|CanonicalRequest\w*)>.*?<\/\1>/gs

/** Hides credentials in the message and the stack of an error that quotes a store's answer. */
export function hideCredentials(error: unknown): void {
  if (!(error instanceof Error)) return
  for (const field of ['message', 'stack'] as const) {
    const text = error[field]
    if (text !== undefined) error[field] = text.replaceAll(SECRET_ELEMENTS, '<$1>[hidden]</$1>')
  }
}
