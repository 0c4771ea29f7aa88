import { constants } from 'node:sqlite'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The tables that decide which credentials are valid, which user they belong to, and what they allow. */
const TABLES: ReadonlySet<string | null> = new Set([
  'users',
  'sessions',
  'api_keys',
  'oauth_grants',
  'oauth_access_tokens',
  'oauth_clients',
  'oauth_client_secrets',
])
const WRITES: ReadonlySet<number> = new Set([constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE])
/** docsearch updates this column every minute while a credential is in use. This changes nothing about the credential. */
const TIME_OF_USE = 'last_used_at'

/**
 * Notices changes to users, their credentials and their applications. When a statement is prepared, SQLite itself reports what it writes, so
 * no part of the code can forget to announce a change. Commits of other processes change `PRAGMA data_version`.
 */
export class CredentialChanges {
  readonly #database: DatabaseSync
  #dataVersion: StatementSync | undefined
  #seen: unknown
  #changes = 0
  #writesCredentials = false

  constructor(database: DatabaseSync) {
    this.#database = database
    database.setAuthorizer((action, table, column) => {
      if (WRITES.has(action) && TABLES.has(table) && column !== TIME_OF_USE) this.#writesCredentials = true
      return constants.SQLITE_OK
    })
  }

  /** Prepares a statement. Also returns whether it can change credentials, including changes by triggers and foreign keys. */
  prepare(sql: string): { statement: StatementSync; writesCredentials: boolean } {
    this.#writesCredentials = false
    const statement = this.#database.prepare(sql)
    return { statement, writesCredentials: this.#writesCredentials }
  }

  /** Counts a change by this process. */
  count(): void {
    this.#changes += 1
  }

  /** See `Records.credentialsVersion`. Takes a microsecond. */
  version(): number {
    this.#dataVersion ??= this.#database.prepare('pragma data_version')
    const { data_version: current } = this.#dataVersion.get() as { data_version: unknown }
    if (current !== this.#seen) this.count()
    this.#seen = current
    return this.#changes
  }
}
