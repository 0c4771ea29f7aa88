import { diskFull } from '../../../core/disk-errors.ts'
import { DocsearchError, isDocsearchError } from '../../../core/errors.ts'

// Codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
const LOCK_NOT_AVAILABLE = '55P03'
const DISK_FULL = '53100'
const READ_ONLY = '25006'
const INSUFFICIENT_PRIVILEGE = '42501'
const DATA_CORRUPTED = 'XX001'
const INDEX_CORRUPTED = 'XX002'
const BAD_PASSWORD = '28P01'
const NOT_AUTHORIZED = '28000'
const NO_DATABASE = '3D000'
/** Connection exceptions, too many connections, a server that stops or starts, timeouts of locks, statements and idle transactions. */
const UNAVAILABLE = /^(?:08|53[23]00|57P|57014|55P03|25P03)/
/** What Node and `pg` say about a connection that fails or breaks. */
const BROKEN = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENETUNREACH|ENOENT)/
const BROKEN_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Returns the code that PostgreSQL gave, also for an error that was translated to `database_busy`. */
function postgresCodeOf(error: unknown): string {
  return codeOf(isDocsearchError(error, 'database_busy') ? error.cause : error)
}

/** True when PostgreSQL asks for another attempt at the whole transaction. */
export function isConflict(error: unknown): boolean {
  const code = postgresCodeOf(error)
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED
}

/** True if another transaction kept a lock for too long. */
export function isLockTimeout(error: unknown): boolean {
  return postgresCodeOf(error) === LOCK_NOT_AVAILABLE
}

/** True when the connection can't be used again. */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error)
  return /^(?:08|57P|25P03)/.test(code) || BROKEN.test(code) || (error instanceof Error && BROKEN_MESSAGE.test(error.message))
}

/** Like `translateSqlError` for SQLite. The messages name neither server nor user. */
export function translatePostgresError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === DISK_FULL) return diskFull(error)
  if (code === READ_ONLY)
    return new DocsearchError(
      'data_readonly',
      'PostgreSQL allows only reading from this database. Name the primary server, or turn off default_transaction_read_only.',
      { cause: error },
    )
  if (code === INSUFFICIENT_PRIVILEGE)
    return new DocsearchError(
      'data_readonly',
      'PostgreSQL does not let this user create or change the tables of docsearch. Make the user the owner of the database.',
      { cause: error },
    )
  if (code === DATA_CORRUPTED || code === INDEX_CORRUPTED)
    return new DocsearchError('database_corrupt', 'The PostgreSQL database is damaged. Restore it from a backup.', {
      cause: error,
    })
  if (code === BAD_PASSWORD || code === NOT_AUTHORIZED || code === NO_DATABASE)
    return new DocsearchError(
      'database_busy',
      'PostgreSQL refuses the connection. Check the user, the password and the name of the database.',
      { cause: error, retryAfter: 60 },
    )
  if (isConflict(error) || UNAVAILABLE.test(code) || isBroken(error))
    return new DocsearchError('database_busy', 'The database does not answer. Try again in a moment.', {
      cause: error,
      retryAfter: 5,
    })
  return error
}
