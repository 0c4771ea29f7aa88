import { dataReadonly, diskError, diskFull, tooManyFiles } from '../../core/disk-errors.ts'
import { DocsearchError, isDocsearchError } from '../../core/errors.ts'
import { hideCredentials, storeRefused, storeUnavailable } from '../../core/store-errors.ts'

// LanceDB's errors have no codes, but the message holds the words of the object store or of the system.
const STORE_REFUSES =
  /lacked the necessary privileges|lacked valid authentication|Generic (?:S3 error.*status code|\{ store: "S3".*status): 40[013]\b/is
const STORE_FAILS = /Generic (?:S3 error|\{ store: "S3")/i
const DISK_FULL = /no space left|os error 28\b|ENOSPC|quota exceeded|os error 122\b/i
const OUT_OF_HANDLES = /too many open files|os error 2[34]\b/i
const READ_ONLY = /permission denied|os error 13\b|read-only file system|os error 30\b/i
const DISK_ERROR = /input\/output error|os error 5\b/i
/** A file is shorter than it must be. LanceDB commits such a file of deletions after a failed write. */
const CUT_OFF = /failed to fill whole buffer/i
const OUT_OF_MEMORY = /cannot allocate memory|os error 12\b/i

/** What the system refuses for a reason outside of the index. */
const REFUSALS = [
  [STORE_REFUSES, storeRefused],
  [STORE_FAILS, storeUnavailable],
  [DISK_FULL, diskFull],
  [OUT_OF_HANDLES, tooManyFiles],
  [READ_ONLY, dataReadonly],
] as const

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function refusalOf(error: unknown): DocsearchError | null {
  const refusal = REFUSALS.find(([pattern]) => pattern.test(messageOf(error)))
  return refusal === undefined ? null : refusal[1](error)
}

/** Returns a failure of LanceDB as one that a user can act on, as `index_corrupt`, or as `index_failed`. A DocsearchError stays as it is. */
export function indexFailure(error: unknown): DocsearchError {
  if (error instanceof DocsearchError) return error
  // LanceDB's messages contain the whole answer of the store.
  hideCredentials(error)
  const refusal = refusalOf(error)
  if (refusal !== null) return refusal
  if (DISK_ERROR.test(messageOf(error))) return diskError(error)
  // Adding and deleting rows also reads.
  if (CUT_OFF.test(messageOf(error))) return filesDamaged(error)
  return new DocsearchError('index_failed', 'An operation of the search index failed. See the server log.', { cause: error })
}

/** Returns a failure to read the index: its files are damaged, unless the system refused to read them. */
export function readFailure(error: unknown): DocsearchError {
  if (error instanceof DocsearchError || refusalOf(error) !== null || OUT_OF_MEMORY.test(messageOf(error)))
    return indexFailure(error)
  return filesDamaged(error)
}

function filesDamaged(cause: unknown): DocsearchError {
  return corrupt('The files of the search index are damaged. The index must be rebuilt from the documents.', { cause })
}

/** `fault` says what is wrong with a file, to be put behind its name. */
export function corrupt(message: string, { cause, fault }: { cause?: unknown; fault?: string } = {}): DocsearchError {
  return new DocsearchError('index_corrupt', message, { cause, ...(fault !== undefined && { details: { fault } }) })
}

/**
 * True when the files of an index are damaged. `index_corrupt` always means that. `index_failed` can mean it, because LanceDB's errors don't say
 * what was wrong: then `index`, where given, is checked.
 */
export async function isDamaged(
  error: unknown,
  index?: { check(): Promise<{ ok: boolean; isUnavailable?: boolean }> },
): Promise<boolean> {
  if (isDocsearchError(error, 'index_corrupt')) return true
  if (index === undefined || !isDocsearchError(error, 'index_failed')) return false
  const { ok, isUnavailable } = await index.check()
  return !ok && isUnavailable !== true
}

/** Thrown when a page of a segment's file, read from disk, is damaged. */
export class DamagedSegment extends DocsearchError {
  /** The name of the segment. */
  readonly segment: string

  constructor(segment: string, cause?: unknown) {
    super('index_corrupt', 'A file of the search index is damaged. It must be rebuilt from the documents.', { cause })
    this.segment = segment
  }
}

/** Thrown when texts do not match their hashes. All other rows can be read. */
export class DamagedTexts extends DocsearchError {
  readonly rows: readonly bigint[]

  constructor(rows: readonly bigint[]) {
    super('index_corrupt', 'Texts of the search index are damaged. docsearch indexes their documents again.')
    this.rows = rows
  }
}
