import type { Readable } from 'node:stream'
import { DocsearchError } from '../core/errors.ts'

export interface StoredObject {
  key: string
  size: number
  /** By the store's clock. Some stores count only whole seconds. */
  modifiedAt: Date
}

/** A part of an object: the bytes from `start` to `end`, both included. Both are below the size of the object. */
export interface ByteRange {
  start: number
  end: number
}

/** A local file that nothing changes while it is sent. `sha256` is the hash of its bytes, in hex. */
export interface LocalFile {
  path: string
  size: number
  sha256: string
}

export interface StoreState {
  status: 'ok' | 'degraded'
  message: string
}

/**
 * An object store as docsearch uses it: whole objects under keys, which docsearch lists and reads in any order. Once a write has returned, every
 * later read sees it, and it survives every failure that the store survives.
 *
 * Methods repeat requests that fail for a passing reason. If the repeats fail too, they throw `store_unavailable`; the request may have taken effect
 * nevertheless. `store_refused` means that the store does not allow the request, for example because a credential has expired.
 */
export interface ObjectStore {
  /** Stores a file under a key, or replaces the object with this key. The store checks that it has received these bytes. */
  putFile(key: string, file: LocalFile): Promise<void>
  /** Like `putFile`, for bytes in memory. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /**
   * Stores bytes unless there is an object with this key. Returns whether this call has stored them. Of several calls at the same time, in any number of
   * processes, only one returns true. Each call must have different bytes.
   */
  create(key: string, bytes: Uint8Array): Promise<boolean>
  /**
   * Reads an object or a part of it. Returns null if there is none. When a connection breaks, the stream continues at the same place. It fails if the
   * object is replaced or deleted before it has been read.
   */
  read(key: string, range?: ByteRange): Promise<{ size: number; stream: Readable } | null>
  /** Returns null if there is no object with this key. */
  find(key: string): Promise<StoredObject | null>
  /** Yields the objects whose keys begin with `prefix`, in the order of their keys. With `after`, only those with a greater key. */
  list(prefix: string, after?: string): AsyncGenerator<StoredObject>
  /** Deletes an object if there is one. */
  delete(key: string): Promise<void>
  /** Whether the store answered the last requests. */
  state(): StoreState
  close(): void
}

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
