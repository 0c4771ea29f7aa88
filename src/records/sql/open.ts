import { Kysely } from 'kysely'
import { existsSync } from 'node:fs'
import { chmod, open as openFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../core/clock.ts'
import { translateDiskError } from '../../core/disk-errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { Records } from '../records.ts'
import { composeRecords } from './compose.ts'
import { nodeSqliteDialect } from './dialect.ts'
import { databaseCorrupt, translateSqlError } from './errors.ts'
import { sqliteEngine } from './engine.ts'
import { ScanThread } from './scan-thread.ts'
import { createStore, type Store } from './store.ts'
import { type Subject, TableChanges } from './table-changes.ts'
import type { Tables } from './tables.ts'
import { upgradeDatabase, type UpgradeOptions } from './upgrade.ts'

const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens the database, upgrades it, or creates it. Checks every page of the file, so that damage shows now and not in the middle of a request.
 * Throws `data_newer`, `data_unusable`, `database_corrupt`, `data_readonly` or `disk_full`.
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
  const scans = new ScanThread(file)
  const scan: Store['scan'] = (query, turn) => scans.run(query.compile(db), turn)
  const store = createStore({ db, clock, engine: sqliteEngine(db), versions, scan, isAudited })
  return composeRecords(store, {
    credentialsVersion: () => versionOf(changes, 'credentials'),
    synonymsVersion: () => versionOf(changes, 'synonyms'),
    async close() {
      await scans.close()
      await db.destroy()
    },
  })
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
