import { constants } from 'node:sqlite'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The tables that decide which credentials are valid, whose they are and what they allow. */
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
/** Every credential's row gets a new value each minute, which changes nothing about the credential. */
const TIME_OF_USE = 'last_used_at'

/**
 * Notices changes to users, their credentials and their applications. SQLite itself says what a statement writes when the statement is
 * prepared, so no part of the code can forget to announce a change. For other processes, `PRAGMA data_version` changes with each commit.
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

  /** Prepares a statement, and returns whether it can change credentials, also through triggers and foreign keys. */
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
