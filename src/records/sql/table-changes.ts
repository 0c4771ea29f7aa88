import { constants, type DatabaseSync, type StatementSync } from 'node:sqlite'

/** The tables that remembered lookups read, by the subject of the lookups. */
export const TABLES = {
  /** Which credentials are valid, which user they belong to, and what they allow. */
  credentials: [
    'users',
    'sessions',
    'api_keys',
    'oauth_grants',
    'oauth_access_tokens',
    'oauth_clients',
    'oauth_client_secrets',
    'oauth_registrations',
  ],
  documents: ['projects', 'documents', 'document_counts'],
  synonyms: ['synonyms'],
  /** Who may see which project, and the names of projects and their owners. */
  members: ['project_members', 'projects', 'users'],
} as const
export type Subject = keyof typeof TABLES

const ALL_SUBJECTS = Object.keys(TABLES) as Subject[]
/** The subjects of each table. */
const SUBJECTS = new Map<string | null, Subject[]>()
for (const subject of ALL_SUBJECTS)
  for (const table of TABLES[subject]) SUBJECTS.set(table, [...(SUBJECTS.get(table) ?? []), subject])
const WRITES: ReadonlySet<number> = new Set([constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE])
/** docsearch updates this column every minute while a credential is in use. This changes nothing about the credential. */
const TIME_OF_USE = 'last_used_at'

/**
 * Notices changes to credentials, documents, members and synonyms. When a statement is prepared, SQLite itself reports what it writes, so no part of the code can
 * forget to announce a change. Commits of other processes change `PRAGMA data_version`.
 */
export class TableChanges {
  readonly #database: DatabaseSync
  #dataVersion: StatementSync | undefined
  #seen: unknown
  /** True from the time when this class looked for commits of other processes until the current event has been handled. */
  #hasAsked = false
  readonly #versions: Record<Subject, number> = { credentials: 0, documents: 0, members: 0, synonyms: 0 }
  #written = new Set<Subject>()

  constructor(database: DatabaseSync) {
    this.#database = database
    database.setAuthorizer((action, table, column) => {
      if (!WRITES.has(action) || column === TIME_OF_USE) return constants.SQLITE_OK
      for (const subject of SUBJECTS.get(table) ?? []) this.#written.add(subject)
      return constants.SQLITE_OK
    })
  }

  /** Prepares a statement. Also returns what it can change, including changes by triggers and foreign keys. */
  prepare(sql: string): { statement: StatementSync; writes: ReadonlySet<Subject> } {
    const writes = (this.#written = new Set())
    const statement = this.#database.prepare(sql)
    return { statement, writes }
  }

  /** Counts a change by this process. */
  count(subjects: Iterable<Subject>): void {
    for (const subject of subjects) this.#versions[subject] += 1
  }

  /** Returns a number that is larger than before if the subject may have changed. */
  version(subject: Subject): number {
    if (!this.#hasAsked) this.#askForCommits()
    return this.#versions[subject]
  }

  /**
   * Looks for commits of other processes. Once for each event is enough: a request that arrives after a commit is another event than everything
   * that was looked up before the commit.
   */
  #askForCommits(): void {
    this.#dataVersion ??= this.#database.prepare('pragma data_version')
    const { data_version: current } = this.#dataVersion.get() as { data_version: unknown }
    if (current !== this.#seen) this.count(ALL_SUBJECTS)
    this.#seen = current
    this.#hasAsked = true
    // Runs when the event and the promises that it has resolved are done, before the next event.
    process.nextTick(() => (this.#hasAsked = false))
  }
}
