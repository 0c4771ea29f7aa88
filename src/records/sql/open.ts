import { Kysely, sql } from 'kysely'
import { existsSync } from 'node:fs'
import { chmod, open as openFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../core/clock.ts'
import { translateDiskError } from '../../core/disk-errors.ts'
import { isDocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { Records } from '../records.ts'
import { createAudit } from './audit.ts'
import { createBackups } from './backups.ts'
import { nodeSqliteDialect } from './dialect.ts'
import { createDocuments } from './documents.ts'
import { databaseCorrupt, translateSqlError } from './errors.ts'
import { createEvents } from './events.ts'
import { createIndexes } from './indexes.ts'
import { createKeys } from './keys.ts'
import { createOneTimeLinks } from './links.ts'
import { createMembers } from './members.ts'
import { createMessages } from './messages.ts'
import { createOAuthRecords } from './oauth.ts'
import { createOriginals } from './originals.ts'
import { createProjects } from './projects.ts'
import { createQueue } from './queue.ts'
import { createSavedSearches } from './saved-searches.ts'
import { createSessions } from './sessions.ts'
import { createStore } from './store.ts'
import { createSynonyms } from './synonyms.ts'
import { type Subject, TableChanges } from './table-changes.ts'
import type { Tables } from './tables.ts'
import { createTrash } from './trash.ts'
import { upgradeDatabase, type UpgradeOptions } from './upgrade.ts'
import { createUsers } from './users.ts'
import { createVocabulary } from './vocabulary.ts'
import { createWebhooks } from './webhooks.ts'

const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens the database, upgrades it, or creates it. Checks every page of the file, so that damage shows now and not in the middle of a request.
 * Throws `data_newer`, `database_corrupt`, `data_readonly` or `disk_full`.
 */
export async function openRecords(options: {
  file: string
  clock: Clock
  log: Logger
  /** False turns off the audit log. */
  isAudited?: boolean
  /** Without it, the database of an earlier version is upgraded without a copy. */
  upgrade?: UpgradeOptions
}): Promise<Records> {
  const { file, clock, log, isAudited = true, upgrade } = options
  const isNew = !existsSync(file)
  const database = await openDatabase(file)
  const changes = new TableChanges(database)
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database, changes) })
  try {
    if (!isNew) quickCheck(database)
    await upgradeDatabase({ db, database, file }, upgrade)
  } catch (error) {
    database.close()
    throw translateSqlError(error)
  }
  log.debug({ new: isNew }, 'database opened')
  const versions = {
    documentsVersion: () => versionOf(changes, 'documents'),
    membersVersion: () => versionOf(changes, 'members'),
  }
  const store = createStore(db, clock, versions, { isAudited })
  return {
    users: createUsers(store),
    links: createOneTimeLinks(store),
    sessions: createSessions(store),
    keys: createKeys(store),
    oauth: createOAuthRecords(store),
    projects: createProjects(store),
    members: createMembers(store),
    documents: createDocuments(store),
    trash: createTrash(store),
    messages: createMessages(store),
    originals: createOriginals(store),
    queue: createQueue(store),
    events: createEvents(store),
    audit: createAudit(store),
    indexes: createIndexes(store),
    vocabulary: createVocabulary(store),
    synonyms: createSynonyms(store, () => versionOf(changes, 'synonyms')),
    savedSearches: createSavedSearches(store),
    webhooks: createWebhooks(store),
    backups: createBackups(store),
    credentialsVersion: () => versionOf(changes, 'credentials'),
    check: () => check(db),
    close: () => db.destroy(),
  }
}

async function openDatabase(file: string): Promise<DatabaseSync> {
  try {
    // SQLite would create the file readable for others. It gives its -wal and -shm files the mode that this file has.
    await (await openFile(file, 'a', 0o600)).close()
    await chmod(file, 0o600)
    const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    try {
      database.exec('pragma journal_mode = wal; pragma synchronous = full')
    } catch (error) {
      database.close()
      throw error
    }
    return database
  } catch (error) {
    throw translateSqlError(translateDiskError(error))
  }
}

function quickCheck(database: DatabaseSync): void {
  const rows = database.prepare('pragma quick_check(1)').all()
  const result = Object.values(rows[0] ?? {})[0]
  if (result !== 'ok') throw databaseCorrupt(new Error(String(result)))
}

function versionOf(changes: TableChanges, subject: Subject): number {
  try {
    return changes.version(subject)
  } catch (error) {
    throw translateSqlError(error)
  }
}

async function check(db: Kysely<Tables>): Promise<{ ok: boolean; message: string }> {
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select count(*) from kysely_migration`.execute(tx)
      await tx.updateTable('users').set({ name: '' }).where('id', '=', '').execute()
    })
    return { ok: true, message: 'The database can be read and written.' }
  } catch (error) {
    return { ok: false, message: isDocsearchError(error) ? error.message : 'The database could not be read or written.' }
  }
}
