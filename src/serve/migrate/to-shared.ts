import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readBlobs } from '../../blobs/files.ts'
import type { SharedPlace } from '../../config/shared-place.ts'
import { type MigrateHooks, copyActiveIndex, moveOriginals, becomeWriter, openSharedSide, type SharedSide } from './steps.ts'
import type { Migrated } from '../../contract/migrate.ts'
import { systemClock } from '../../core/clock.ts'
import { DocsearchError } from '../../core/errors.ts'
import { createIndexStore } from '../../index/index-store.ts'
import { probeStore, PROBES } from '../../objects/checks.ts'
import { openRecords } from '../../records/sql/open.ts'
import { describeDatabase } from '../../records/sql/snapshot.ts'
import { type DataFolder, isDataFolder, openDataFolder } from '../data-folder.ts'
import { createLogger } from '../logging.ts'
import { keepTemporaryFilesIn, type ServeOutput } from '../main.ts'
import { offlineUpgrade } from '../offline-upgrade.ts'
import { OpenParts } from '../open-parts.ts'
import { claimOwnStore } from '../shared-instance.ts'
import { VERSION } from '../version.ts'
import { readMark, writeMark } from './mark.ts'

interface Options extends MigrateHooks {
  dir: string
  place: SharedPlace
}

/**
 * Moves the documents of a data folder to a database and an object store. Until the last step, only the folder can be used as the instance, not the
 * database. After an interruption, another call continues the move. Each step can be repeated.
 */
export async function moveToShared({ dir, place, ...hooks }: Options, output: ServeOutput): Promise<Migrated> {
  if (!isDataFolder(dir))
    throw new DocsearchError('data_unusable', `${dir} is not a data folder of docsearch. Name the folder with --data.`)
  const log = createLogger('error', output.stderr)
  const open = new OpenParts(log)
  try {
    const folder = await openDataFolder(dir, { isMigration: true })
    open.add('data folder', () => folder.close())
    keepTemporaryFilesIn(folder.temporary)
    // This also writes the write-ahead log into the database file.
    await (await openRecords({ file: folder.database, clock: systemClock, log, upgrade: offlineUpgrade(dir, output) })).close()
    const shared = await openSharedSide({ place, folder: join(folder.temporary, 'shared'), log, open })
    await prepare(dir, shared, output)
    const snapshot = await describeDatabase(folder.database)
    hooks.onRecords()
    const { copyToPostgres } = await import('../../records/sql/postgres/copy.ts')
    await copyToPostgres({ file: folder.database, server: shared.server, from: dir, secrets: await secretsOf(folder) })
    const held = await becomeWriter(shared.writer, { signal: hooks.signal, say: output.say })
    // Meanwhile, a move to another database may have begun to use the same store.
    await claimOwnStore(shared)
    // Only now: a worker that already runs at the new place would delete originals that no document there needs.
    const originals = await moveOriginals({ from: readBlobs(dir), to: shared.blobs, snapshot, hooks })
    const index = await copyActiveIndex({
      index: snapshot.index,
      from: createIndexStore({ dataDir: dir, log }),
      to: shared.indexes(held),
      hooks,
      log,
    })
    await finish(dir, shared)
    const { documents, trashed } = snapshot
    return { from: dir, to: shared.place, documents, trashed, ...originals, index }
  } finally {
    await open.closeAll(1_000)
  }
}

/** Checks that the new place can be used, and makes its tables. */
async function prepare(dir: string, { place, server, objects }: SharedSide, { say }: ServeOutput): Promise<void> {
  const mark = await readMark(dir)
  if (mark !== null && mark.place !== place && mark.state !== 'leaving')
    throw new DocsearchError(
      'data_unusable',
      `The documents of ${dir} ${mark.state === 'left' ? 'were already moved to' : 'are still being moved here from'} ${mark.place}.`,
    )
  const isOurs = mark !== null && mark.place === place
  if (!isOurs) await requireEmpty(objects)
  await probeStore(objects)
  const { isNewDatabase, upgradePostgres } = await import('../../records/sql/postgres/upgrade.ts')
  const { readMove } = await import('../../records/sql/postgres/move.ts')
  if (mark?.state === 'left' && !(await isNewDatabase(server)) && (await readMove(server)) === null)
    throw new DocsearchError('data_unusable', `The documents of ${dir} were already moved to ${place}. Start the instance there.`)
  await upgradePostgres(server, { version: VERSION, notify: say })
  if (!isOurs) await writeMark(dir, { state: 'leaving', place, at: new Date().toISOString() })
}

/** Throws `data_unusable` for a store that has objects, apart from objects that an interrupted start left behind. */
async function requireEmpty(objects: SharedSide['objects']): Promise<void> {
  for await (const { key } of objects.list(''))
    if (!key.startsWith(PROBES))
      throw new DocsearchError(
        'data_unusable',
        `The object store is not empty: it has objects such as ${key}. Name a prefix without objects with --store.`,
      )
}

async function secretsOf({ webhookKey }: DataFolder): Promise<Record<string, string>> {
  try {
    return { webhooks: (await readFile(webhookKey, 'utf8')).trim() }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** From here on, the instance is at the new place. After a crash in between, both sides refuse to start until this is repeated. */
async function finish(dir: string, { place, server }: SharedSide): Promise<void> {
  const { setMove } = await import('../../records/sql/postgres/move.ts')
  await writeMark(dir, { state: 'left', place, at: new Date().toISOString() })
  await setMove(server, null)
}
