import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkBackup, type CheckedBackup, type Source } from '../backup/check.ts'
import type { Content, Receiver } from '../backup/content.ts'
import { FileWriter } from '../backup/file-writer.ts'
import { CONFIG, DATABASE, hashOfPath, placeIn, VECTORS, WEBHOOK_KEY } from '../backup/layout.ts'
import { type BackupManifest, damaged } from '../backup/manifest.ts'
import { resolveDataDir } from '../config/data-dir.ts'
import { withoutGroup } from '../config/without-secrets.ts'
import type { Restored, RestoredIndex } from '../contract/backup.ts'
import { callAs } from '../core/caller.ts'
import { systemClock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { formatBytes } from '../core/format-bytes.ts'
import { syncFile, syncFolder } from '../core/sync.ts'
import { type RestoreHooks, restorePassages } from '../index/passages-file.ts'
import { currentLayout, parseFingerprint } from '../lifecycle/fingerprint.ts'
import type { IndexRecord, Records } from '../records/records.ts'
import { openRecords } from '../records/sql/open.ts'
import { unknownMigrations } from '../records/sql/migrations.ts'
import { layoutOf } from './backup-parts.ts'
import { DATABASE_FILE, firstContent, keepFilesPrivate, openDataFolder, RESTORING, TRACES } from './data-folder.ts'
import { createLogger } from './logging.ts'
import { keepTemporaryFilesIn, type ServeOutput } from './main.ts'

if (DATABASE !== DATABASE_FILE) throw new Error('a backup and a data folder have the same name for the database')

interface RestoreOptions extends Pick<RestoreHooks, 'onPassages' | 'onSegments'> {
  /** Its signal also ends a restore of the index. */
  source: Source
  data: string | undefined
  skipDamaged: boolean
}

/** What a restore moves into the folder. The database comes last, because it makes the folder a data folder. */
const PARTS = ['blobs', 'lance', 'segments', CONFIG, WEBHOOK_KEY, DATABASE_FILE]
/** What an interrupted restore can leave behind. */
const LEFTOVERS = new Set([...PARTS, RESTORING, ...TRACES])

/**
 * Makes a data folder from a backup. Everything is written to a separate folder in it, and moved into place when every hash is right. Throws
 * `data_unusable` for a folder that is not empty or a backup from before the first release, `data_newer`, `backup_damaged` and `backup_incomplete`.
 */
export async function restoreBackup(
  { source, data, skipDamaged, ...progress }: RestoreOptions,
  output: ServeOutput,
): Promise<Restored> {
  keepFilesPrivate()
  const { dir } = resolveDataDir(data, output.env)
  const existed = existsSync(dir)
  await requireEmpty(dir)
  const folder = await openDataFolder(dir, { isRestore: true })
  const staging = join(dir, RESTORING)
  let isDone = false
  try {
    await mkdir(staging, { mode: 0o700 })
    const writer = new FileWriter()
    const checked = await readInto(staging, writer, source, await freeBytes(dir))
    await writer.finish()
    refuseFaults(checked, skipDamaged)
    refuseOtherVersions(checked.manifest)
    const restoring = { manifest: checked.manifest, signal: source.signal, ...progress }
    const index = await restoreDatabase(staging, folder.temporary, restoring, output)
    const backupsOff = await withoutSchedule(join(staging, CONFIG))
    await rm(join(staging, VECTORS), { force: true })
    await moveIntoPlace(staging, dir)
    isDone = true
    return describe(dir, checked, index, backupsOff)
  } finally {
    if (!isDone) await rm(staging, { recursive: true, force: true })
    await folder.close()
    if (!isDone) await removeTraces(dir, existed)
  }
}

async function readInto(staging: string, writer: FileWriter, source: Source, free: number): Promise<CheckedBackup> {
  try {
    return await checkBackup(source, new Staging(staging, writer, free).receiver)
  } finally {
    await writer.settle()
  }
}

/** Leaves the folder as it was before a restore that failed. */
async function removeTraces(dir: string, existed: boolean): Promise<void> {
  for (const name of ['daemon.lock', 'daemon.lock-journal']) await rm(join(dir, name), { force: true })
  if (!existed) await rm(dir, { recursive: true, force: true })
}

/** Writes the files of a backup to a folder. Leaves out originals that don't match their hash. */
class Staging {
  readonly #folder: string
  readonly #writer: FileWriter
  #free: number

  constructor(folder: string, writer: FileWriter, free: number) {
    this.#folder = folder
    this.#writer = writer
    this.#free = free
  }

  get receiver(): Receiver {
    return { take: (path, content) => this.#take(path, content) }
  }

  async #take(path: string, content: Content): Promise<void> {
    if (content.size > this.#free)
      throw new DocsearchError(
        'disk_full',
        `The disk is too full to restore ${path}: the file has ${formatBytes(content.size)}, and the disk has ${formatBytes(this.#free)} left. Free some space, or name a folder on another disk with --data.`,
      )
    this.#free -= content.size
    const hash = hashOfPath(path)
    await this.#writer.write(placeIn(this.#folder, path), content, () => hash === null || content.sha256() === hash)
  }
}

async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir)
  return bavail * bsize
}

/** Removes what an interrupted restore left behind. Throws `data_unusable` for a folder that has anything else. */
async function requireEmpty(dir: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw new DocsearchError('data_unusable', `${dir} cannot be read: ${error.message}. Name another folder with --data.`, {
      cause: error,
    })
  })
  const isInterrupted = names.includes(RESTORING) && !names.includes(DATABASE_FILE)
  const other = firstContent(isInterrupted ? names.filter((name) => !LEFTOVERS.has(name)) : names)
  if (other !== null)
    throw new DocsearchError(
      'data_unusable',
      `${dir} is not empty: it has ${other}. Restore into an empty or new folder with --data.`,
    )
  if (isInterrupted)
    for (const name of LEFTOVERS) if (name !== 'daemon.lock') await rm(join(dir, name), { recursive: true, force: true })
}

function refuseFaults({ faults, isRestorable }: CheckedBackup, skipDamaged: boolean): void {
  if (faults.length === 0 || (skipDamaged && isRestorable)) return
  const hint = isRestorable ? 'Use another backup, or restore the rest with --skip-damaged.' : 'Use another backup.'
  throw damaged(faults, `Nothing was restored. ${hint}`)
}

function refuseOtherVersions({ schema, docsearch_version: version }: BackupManifest): void {
  const { older, newer } = unknownMigrations(schema)
  if (newer.length > 0)
    throw new DocsearchError(
      'data_newer',
      `A newer version of docsearch (${version}) made this backup. Install that version to restore it.`,
      { details: { unknown_migrations: newer } },
    )
  if (older.length > 0)
    throw new DocsearchError(
      'data_unusable',
      'A version of docsearch from before the first release made this backup, and this version cannot restore it. docs/upgrades.md says which version can.',
    )
}

/** A copy of an instance must not write to the backups of the first one. Returns whether there was a schedule. */
async function withoutSchedule(file: string): Promise<boolean> {
  if (!existsSync(file)) return false
  const { text, had } = withoutGroup(await readFile(file, 'utf8'), 'backup')
  if (had) await writeFile(file, text)
  await syncFile(file)
  return had
}

async function moveIntoPlace(staging: string, dir: string): Promise<void> {
  for (const name of PARTS) if (existsSync(join(staging, name))) await rename(join(staging, name), join(dir, name))
  await syncFolder(dir)
  await rmdir(staging)
  await syncFolder(dir)
}

function describe(dir: string, { manifest, faults, bytes }: CheckedBackup, index: RestoredIndex, backupsOff: boolean): Restored {
  const { created_at, docsearch_version, documents, trashed, originals, failed } = manifest
  const lost = faults.flatMap(({ path }) => hashOfPath(path) ?? [])
  return {
    data: dir,
    created_at,
    docsearch_version,
    documents,
    trashed,
    originals: Object.keys(originals).length - lost.length,
    bytes,
    index,
    missing: [...lost, ...failed.map(({ sha256 }) => sha256)],
    backups_off: backupsOff,
  }
}

/** Brings a restored database to this version, restores its index, and records the restore in it. */
async function restoreDatabase(
  staging: string,
  temporary: string,
  { manifest, ...hooks }: { manifest: BackupManifest } & RestoreHooks,
  { stderr }: ServeOutput,
): Promise<RestoredIndex> {
  const log = createLogger('error', stderr)
  const file = join(staging, DATABASE)
  const records = await openRecords({ file, clock: systemClock, log })
  try {
    const owner = await records.users.owner()
    const credential = { kind: 'command_line', id: null, name: null, lastFour: null } as const
    return await callAs({ userId: owner?.id ?? null, address: null, credential }, async () => {
      const index = await restoreIndex(records, staging, temporary)
      const { created_at: createdAt, documents } = manifest
      await records.backups.restored({ created_at: createdAt, documents, index: index.state })
      return index
    })
  } finally {
    await records.close()
    await syncFile(file)
  }

  async function restoreIndex(records: Records, staging: string, temporary: string): Promise<RestoredIndex> {
    const active = await records.indexes.active()
    const reason = whyNot(active)
    if (reason !== null || active === null) {
      await records.indexes.clear()
      return { state: 'rebuilt', reason: reason ?? '' }
    }
    // The backup has only the active index. An index that was being built begins again.
    for (const { id } of await records.indexes.all()) if (id !== active.id) await records.indexes.drop(id)
    keepTemporaryFilesIn(temporary)
    const place = { dataDir: staging, id: active.id, layout: layoutOf(active), log }
    const passages = await restorePassages(join(staging, VECTORS), place, hooks)
    return { state: 'restored', passages }
  }

  /** Returns why the index can't be restored, or null. */
  function whyNot(active: IndexRecord | null): string | null {
    if (!existsSync(join(staging, VECTORS))) return 'the backup was taken without --with-vectors'
    if (active === null) return 'the instance had no index'
    if (parseFingerprint(active.fingerprint).layout !== currentLayout()) return 'another version of docsearch made the index'
    return null
  }
}
