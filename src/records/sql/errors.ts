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

/** True when a row with this key is already there. */
export function isUniqueViolation(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARYKEY
}

/**
 * What went wrong with the database as a whole, as an error a person can act on: `database_corrupt`, `data_readonly`,
 * `disk_full`, `disk_error`, `database_busy`. Anything else comes back as it was.
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
      return new DocsearchError(
        'data_readonly',
        'The data folder cannot be written to. Check who owns it and its permissions, or name another one with --data.',
        { cause: error },
      )
    case FULL:
      return diskFull(error)
    case IOERR:
      return new DocsearchError('disk_error', 'The disk under the data folder reported an error. Check it before going on.', {
        cause: error,
      })
    case BUSY:
      return new DocsearchError('database_busy', 'Another process holds the database. Try again in a moment.', {
        cause: error,
        retryAfter: 5,
      })
    default:
      return error
  }
}

/** The database is damaged: nothing is repaired silently, the way back is named. Not `docsearch reindex`: it reads this database. */
export function databaseCorrupt(cause: unknown): DocsearchError {
  return new DocsearchError(
    'database_corrupt',
    'The database docsearch.db is damaged. Nothing was changed. Put a copy of the whole data folder in its place, made while no daemon ran; ' +
      'without one, start on an empty folder with --data and upload again: the originals are in blobs, without their names.',
    { cause },
  )
}

function diskFull(cause: unknown): DocsearchError {
  return new DocsearchError('disk_full', 'The disk is full. Make room; work goes on by itself then.', {
    cause,
    retryAfter: 30,
  })
}
