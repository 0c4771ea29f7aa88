import { dataReadonly, diskError, diskFull } from '../../core/disk-errors.ts'
import { DocsearchError } from '../../core/errors.ts'

// Primary result codes of SQLite (https://www.sqlite.org/rescode.html); the extended code carries them in its low byte.
const BUSY = 5
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26
const IOERR_SHMSIZE = 4874
const CONSTRAINT_PRIMARYKEY = 1555
const CONSTRAINT_UNIQUE = 2067

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode : null
}

/** `unique_violation` of PostgreSQL. */
const UNIQUE_VIOLATION = '23505'

/** True when a row with the same key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION) return true
  const code = sqliteCode(error)
  return code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARYKEY
}

/**
 * Turns an error of the database as a whole into one that a user can act on: `database_corrupt`, `data_readonly`, `disk_full`,
 * `disk_error` or `database_busy`. Returns other errors as they are.
 */
export function translateSqlError(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === null) return error
  if (code === IOERR_SHMSIZE) return diskFull(error)
  switch (code & 0xff) {
    case CORRUPT:
    case NOTADB:
      return databaseCorrupt(error)
    case READONLY:
    case CANTOPEN:
      return dataReadonly(error)
    case FULL:
      return diskFull(error)
    case IOERR:
      return diskError(error)
    case BUSY:
      return new DocsearchError('database_busy', 'Another process is using the database. Try again in a moment.', {
        cause: error,
        retryAfter: 5,
      })
    default:
      return error
  }
}

/** The message doesn't suggest `docsearch reindex`, because that command reads the database too. */
export function databaseCorrupt(cause: unknown): DocsearchError {
  return new DocsearchError(
    'database_corrupt',
    'The database docsearch.db is damaged. Nothing was changed. Restore a copy of the whole data folder that was made while ' +
      'docsearch was stopped. Without such a copy, start with an empty folder (--data) and upload your files again; the folder ' +
      '"blobs" still has their contents, but not their names.',
    { cause },
  )
}
