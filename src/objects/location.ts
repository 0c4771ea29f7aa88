import { DocsearchError } from '../core/errors.ts'

/** Where docsearch keeps its objects. */
export interface StoreLocation {
  bucket: string
  /** The beginning of all keys. Empty, or ends with `/`. */
  prefix: string
}

/** The names that S3 allows for buckets. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** Characters that every store accepts in keys without encoding. */
const PREFIX = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/
const MAX_PREFIX = 200

/** Reads an address such as `s3://bucket/a/prefix`. Throws `invalid_configuration`. */
export function parseStoreLocation(address: string): StoreLocation {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)\/?(.*?)\/?$/s.exec(address) ?? []
  if (!BUCKET.test(bucket)) throw invalid(address, 'it needs the form s3://bucket/prefix, with a valid bucket name')
  if (path === '') return { bucket, prefix: '' }
  if (!PREFIX.test(path) || path.length > MAX_PREFIX || path.split('/').some((part) => part === '.' || part === '..'))
    throw invalid(address, 'its prefix may have letters, digits and the characters . _ - /')
  return { bucket, prefix: `${path}/` }
}

function invalid(address: string, why: string): DocsearchError {
  return new DocsearchError('invalid_configuration', `Could not use ${JSON.stringify(address)} as an object store: ${why}.`)
}
