import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBlobs } from '../../blobs/files.ts'
import type { SharedPlace } from '../../config/shared-place.ts'
import { type MigrateHooks, copyActiveIndex, moveOriginals, nameOf, openSharedSide, type SharedSide } from './steps.ts'
import type { Migrated } from '../../contract/migrate.ts'
import { systemClock } from '../../core/clock.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import { syncFile, syncFolder } from '../../core/sync.ts'
import { createIndexStore } from '../../index/index-store.ts'
import { type DataFolder, firstContent, makeUsable, openDataFolder } from '../data-folder.ts'
import { createLogger } from '../logging.ts'
import { keepTemporaryFilesIn, type ServeOutput } from '../main.ts'
import { OpenParts } from '../open-parts.ts'
import { checkOwnStore } from '../shared-instance.ts'
import { VERSION } from '../version.ts'
import { readMark, writeMark } from './mark.ts'

interface Options extends MigrateHooks {
  dir: string
  place: SharedPlace
}

/**
 * Moves the documents of an instance in a database and an object store to a folder. After the first step, its processes can no longer
 * write. If the move fails, they can write again. If the move is killed, another call continues it.
 */
export async function moveToFolder({ dir, place, ...hooks }: Options, output: ServeOutput): Promise<Migrated> {
  const log = createLogger('error', output.stderr)
  const open = new OpenParts(log)
  try {
    await makeUsable(dir)
    await requireEmpty(dir, nameOf(place))
    const folder = await openDataFolder(dir, { isMigration: true })
    open.add('data folder', () => folder.close())
    keepTemporaryFilesIn(folder.temporary)
    const shared = await openSharedSide({ place, folder: join(folder.temporary, 'shared'), log, open })
    await requireInstance(shared, output)
    return await stopWrites(shared, dir, () => copyAll({ folder, shared, hooks, log }))
  } finally {
    await open.closeAll(1_000)
  }
}

/** Throws `data_unusable` for a folder that has anything but what an interrupted move from this place has left. */
async function requireEmpty(dir: string, place: string): Promise<void> {
  const mark = await readMark(dir)
  if (mark?.state === 'arriving' && mark.place === place) return
  const other = firstContent(await readdir(dir))
  if (other !== null)
    throw new DocsearchError('data_unusable', `${dir} is not empty: it has ${other}. Name a new or empty folder with --to.`)
}

/** Checks that the database and the object store belong to one instance, and upgrades the database to this version. Throws `data_unusable`. */
async function requireInstance({ server, objects }: SharedSide, { say }: ServeOutput): Promise<void> {
  const { isNewDatabase, upgradePostgres } = await import('../../records/sql/postgres/upgrade.ts')
  if (await isNewDatabase(server))
    throw new DocsearchError('data_unusable', 'The database has no tables of docsearch. Name the database of the instance.')
  await upgradePostgres(server, { version: VERSION, notify: say })
  await checkOwnStore({ server, objects })
}

/** Lets no process write while `work` runs, nor after it has succeeded. */
async function stopWrites<T>({ server }: SharedSide, dir: string, work: () => Promise<T>): Promise<T> {
  const { readMove, setMove } = await import('../../records/sql/postgres/move.ts')
  const before = await readMove(server)
  if (before !== null && (before.state === 'arriving' || before.place !== dir)) {
    const where =
      before.state === 'left' ? 'were moved to' : before.state === 'leaving' ? 'are being moved to' : 'are being moved from'
    throw new DocsearchError('data_unusable', `The documents of this database ${where} ${before.place}.`)
  }
  await setMove(server, { state: 'leaving', place: dir })
  try {
    const result = await work()
    await setMove(server, { state: 'left', place: dir })
    await writeMark(dir, null)
    return result
  } catch (error) {
    await setMove(server, before?.state === 'left' ? before : null)
    throw error
  }
}

interface CopyOptions {
  folder: DataFolder
  shared: SharedSide
  hooks: MigrateHooks
  log: Logger
}

async function copyAll({ folder, shared, hooks, log }: CopyOptions): Promise<Migrated> {
  const { dir, database } = folder
  await writeMark(dir, { state: 'arriving', place: shared.place, at: new Date().toISOString() })
  hooks.onRecords()
  // The database is moved last, so a folder that has it is complete.
  const copy = `${database}.arriving`
  for (const name of [copy, `${copy}-wal`, `${copy}-shm`]) await rm(name, { force: true })
  const { snapshotPostgres } = await import('../../records/sql/postgres/snapshot.ts')
  const snapshot = await snapshotPostgres({ server: shared.server, copy, clock: systemClock, log })
  const originals = await moveOriginals({
    from: shared.blobs,
    to: await openBlobs({ folder: dir, clock: systemClock }),
    snapshot,
    hooks,
  })
  const { readSecret } = await import('../../records/sql/postgres/secrets.ts')
  const key = await readSecret(shared.server, 'webhooks')
  if (key !== null) await writeFile(folder.webhookKey, `${key}\n`, { mode: 0o600 })
  const index = await copyActiveIndex({
    index: snapshot.index,
    from: shared.indexes(null),
    to: createIndexStore({ dataDir: dir, log }),
    hooks,
    log,
  })
  if (key !== null) await syncFile(folder.webhookKey)
  await syncFile(copy)
  await rename(copy, database)
  await syncFolder(dir)
  const { documents, trashed } = snapshot
  return { from: shared.place, to: dir, documents, trashed, ...originals, index }
}
