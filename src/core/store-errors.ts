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
