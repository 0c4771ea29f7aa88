import { open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { translateDiskError } from '../../core/disk-errors.ts'
import { DocsearchError } from '../../core/errors.ts'
import { killPoint } from '../../core/kill-point.ts'
import {
  migrate,
  MIGRATIONS,
  type Migrations,
  presentMigrations,
  recordedMigrations,
  recordInitial,
  unknownMigrations,
} from './migrations.ts'
import type { Tables } from './tables.ts'

export interface UpgradeOptions {
  /** The version of this docsearch. */
  version: string
  /** Tells the user what happens. */
  notify: (line: string) => void
  /** Throws if the database must not be changed now. */
  beforeUpgrade?: () => void
}

/** The name of the setting with the version of docsearch that last opened the database. */
const VERSION = 'version'

/**
 * Brings the tables of a data folder to this version, in one transaction, after it has copied the file of an earlier version. Throws `data_newer`
 * when a newer version of docsearch has changed the tables, `data_unusable` for tables from before the first release, and `disk_full` when
 * there is no room for the copy.
 */
export async function upgradeDatabase(
  { db, database, file }: { db: Kysely<Tables>; database: DatabaseSync; file: string },
  options: UpgradeOptions | undefined,
): Promise<void> {
  const { pending, isNew, written } = await readState(db, { version: options?.version, holder: 'data folder' })
  await recordInitial(db)
  if (options === undefined) return void (await migrate(db))

  const { version, notify, beforeUpgrade } = options
  let copy: Copy | null = null
  if (!isNew && pending.length > 0) {
    beforeUpgrade?.()
    notify(upgrading('data folder', written, version))
    copy = await copyBeforeUpgrade(database, file, version)
    notify(`copied the database to ${copy.file} (${megabytes(copy.bytes)})`)
  }
  await migrate(db)
  if (written !== version) await storeVersion(db, version)
  if (copy === null) return
  const removed = await pruneCopies(file, copy.file)
  for (const name of removed) notify(`removed the older copy ${name}`)
  notify(upgraded(pending.length))
}

/** What holds the records, in the words of messages to the user. */
type RecordsHolder = 'data folder' | 'database'

/** What a process finds before it upgrades. */
interface State {
  /** The migrations that are still to be applied. */
  pending: string[]
  /** True for a database without tables. */
  isNew: boolean
  /** The version of docsearch that last opened the database; null if it is not known. */
  written: string | null
}

/** Throws `data_newer` when a newer version of docsearch has changed the tables, and `data_unusable` for tables from before the first release. */
export async function readState(
  db: Kysely<Tables>,
  { migrations = MIGRATIONS, version, holder }: { migrations?: Migrations; version: string | undefined; holder: RecordsHolder },
): Promise<State> {
  const recorded = await recordedMigrations(db)
  if (recorded === null) return { pending: Object.keys(migrations), isNew: true, written: null }
  const { older, newer } = unknownMigrations(recorded, migrations)
  if (older.length > 0) throw tooOld(holder)
  const written = await storedVersion(db)
  if (newer.length > 0) throw tooNew(newer, { written, version, holder })
  const present = presentMigrations(recorded)
  return { pending: Object.keys(migrations).filter((name) => !present.includes(name)), isNew: false, written }
}

function tooOld(holder: RecordsHolder): DocsearchError {
  return new DocsearchError(
    'data_unusable',
    `A version of docsearch from before the first release has written to this ${holder}, and this version cannot upgrade it. ` +
      'docs/upgrades.md says which version can.',
  )
}

function tooNew(
  unknown: readonly string[],
  { written, version, holder }: { written: string | null; version: string | undefined; holder: RecordsHolder },
): DocsearchError {
  const isNamed = written !== null && written !== version
  const newer = isNamed ? `docsearch ${written}, a newer version,` : 'A newer version of docsearch'
  const own = version === undefined ? '' : ` This is docsearch ${version}.`
  const install = `Install ${isNamed ? `docsearch ${written}` : 'that version'}`
  const advice =
    holder === 'data folder'
      ? `${install}, or name another folder with --data. docs/upgrades.md says how to go back to an earlier version.`
      : `${install}, or restore a backup of the database from before the upgrade.`
  return new DocsearchError('data_newer', `${newer} has written to this ${holder}.${own} ${advice}`, {
    details: { unknown_migrations: unknown },
  })
}

export function upgrading(holder: RecordsHolder, written: string | null, version: string): string {
  return `upgrading the ${holder} from ${written === null ? 'an earlier version' : `docsearch ${written}`} to ${version}`
}

export function upgraded(steps: number): string {
  return `upgraded the database (${steps === 1 ? '1 step' : `${steps} steps`}); docs/upgrades.md says how to go back`
}

async function storedVersion(db: Kysely<Tables>): Promise<string | null> {
  const tables = await db.introspection.getTables()
  if (!tables.some((table) => table.name === 'settings')) return null
  const row = await db.selectFrom('settings').select('value').where('name', '=', VERSION).executeTakeFirst()
  return row?.value ?? null
}

export async function storeVersion(db: Kysely<Tables>, version: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: VERSION, value: version })
    .onConflict((c) => c.column('name').doUpdateSet({ value: version }))
    .execute()
}

/** How many copies of earlier versions stay next to the database. */
const MAX_COPIES = 3
/** The copy, and the write-ahead log of the upgrade, which can rewrite every table. */
const NEEDED_SIZES = 2

interface Copy {
  file: string
  bytes: number
}

/**
 * Copies the database to `docsearch.db.before-VERSION` next to it. The copy has this name only once it is complete and synced. Throws `disk_full`
 * when there is no room for the copy and the upgrade.
 */
async function copyBeforeUpgrade(database: DatabaseSync, file: string, version: string): Promise<Copy> {
  const target = `${file}.before-${version}`
  const unfinished = `${target}.unfinished`
  await rm(unfinished, { force: true })
  await checkRoom(database, dirname(file))
  try {
    // One snapshot, including what is only in the write-ahead log.
    database.prepare('vacuum into ?').run(unfinished)
    await sync(unfinished)
    killPoint('upgrade-copy')
    await rename(unfinished, target)
    await sync(dirname(file))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw translateDiskError(error)
  }
  return { file: target, bytes: (await stat(target)).size }
}

async function checkRoom(database: DatabaseSync, folder: string): Promise<void> {
  const pragma = (name: string) => Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
  const needed = NEEDED_SIZES * pragma('page_count') * pragma('page_size')
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= needed) return
  throw new DocsearchError(
    'disk_full',
    `The upgrade of the data folder copies the database first and needs ${megabytes(needed)} of free space in ${folder}, which has ${megabytes(free)}. ` +
      'Nothing was changed. Free some space and start docsearch again, or start the former version.',
  )
}

/** Deletes all copies but the newest. Never deletes `newest`. Returns the names of the deleted copies. */
async function pruneCopies(file: string, newest: string): Promise<string[]> {
  const folder = dirname(file)
  const prefix = `${basename(file)}.before-`
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix) && name !== basename(newest))
  const copies = await Promise.all(names.map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })))
  const removed = copies.sort((a, b) => b.time - a.time).slice(MAX_COPIES - 1)
  for (const { name } of removed) await rm(join(folder, name), { force: true })
  return removed.map(({ name }) => name)
}

async function sync(path: string): Promise<void> {
  // Windows can't open a folder.
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (process.platform === 'win32') return null
    throw error
  })
  await handle?.sync().catch((error: NodeJS.ErrnoException) => {
    if (process.platform !== 'win32') throw error
  })
  await handle?.close()
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`
}
