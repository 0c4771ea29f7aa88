import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { countOf } from '../core/count-of.ts'
import { isDocsearchError } from '../core/errors.ts'
import { finding } from '../core/findings.ts'
import type { FileInspection } from '../records/inspection.ts'
import { openInspection } from '../records/sql/inspection.ts'
import { lostChanges } from '../records/sql/write-ahead-log.ts'
import type { FolderCheck, FolderScene } from './scene.ts'

export const DATABASE = 'docsearch.db'
const LOG = `${DATABASE}-wal`

/** Opens the database for the other checks. Compares its indexes with its tables, and references with rows. */
export const checkDatabase: FolderCheck = async (scene) => {
  const { add } = scene
  const inspection = await openDatabase(scene)
  if (inspection === null) return { message: 'The database cannot be used.', isSkipped: true }
  scene.inspection = inspection
  const damage = inspection.damage(true)
  if (damage.length > 0)
    add(finding('database_damaged', `${DATABASE} is damaged: ${damage.slice(0, 3).join('; ')}.`, { place: DATABASE }))
  for (const { table, refersTo, rows } of inspection.brokenReferences())
    add(
      finding(
        'references_broken',
        `${countOf(rows, 'row')} of ${table} ${rows === 1 ? 'refers' : 'refer'} to missing rows of ${refersTo}.`,
        {
          place: DATABASE,
        },
      ),
    )
  await checkCopies(scene)
  const { documents, projects } = await inspection.totals()
  return { message: `${countOf(documents, 'document')} in ${countOf(projects, 'project')}.` }
}

/** Checks the copies of the database from before upgrades. */
async function checkCopies({ dataDir, add }: FolderScene): Promise<void> {
  const names = (await readdir(dataDir)).filter(
    (name) => name.startsWith(`${DATABASE}.before-`) && !/\.unfinished$|-wal$|-shm$/.test(name),
  )
  for (const name of names) {
    const damage = await damageOf(join(dataDir, name))
    if (damage !== null) add(finding('database_copy_damaged', `${name} is damaged: ${damage}.`, { place: name }))
  }
}

/** Returns what is wrong with a file that nobody writes to, or null. */
async function damageOf(file: string): Promise<string | null> {
  if ((await stat(file)).size === 0) return 'it is empty'
  try {
    const copy = openInspection(file)
    try {
      return copy.damage(true)[0] ?? null
    } finally {
      await copy.close()
    }
  } catch (error) {
    if (isDocsearchError(error, 'database_corrupt')) return causeOf(error)
    throw error
  }
}

/** Returns null when the database can't be used. The reason is a finding. */
async function openDatabase(scene: FolderScene): Promise<FileInspection | null> {
  const { dataDir, add } = scene
  const file = join(dataDir, DATABASE)
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (found === null) {
    add(finding('database_missing', `The data folder has no ${DATABASE}.`, { place: DATABASE }))
    return null
  }
  // SQLite takes an empty file for a new database.
  if (found.size === 0) {
    add(finding('database_damaged', `${DATABASE} is empty.`, { place: DATABASE }))
    return null
  }
  // Before the database is opened, because SQLite may start the log again.
  if (scene.isAlone) await checkLog(scene)
  try {
    return await usable(scene, openInspection(file))
  } catch (error) {
    if (isDocsearchError(error, 'database_corrupt'))
      add(finding('database_damaged', `${DATABASE} is damaged: ${causeOf(error)}.`, { place: DATABASE }))
    else add(finding('database_locked', `${DATABASE} cannot be read: ${(error as Error).message}`, { place: DATABASE }))
    return null
  }
}

async function checkLog({ dataDir, add }: FolderScene): Promise<void> {
  const lost = await lostChanges(join(dataDir, DATABASE))
  if (lost === 0) return
  add(
    finding('log_damaged', `${LOG} is damaged or cut off, and SQLite ignores ${countOf(lost, 'changed page')}.`, {
      place: LOG,
    }),
  )
}

/** Returns the database if no page is damaged and it has the tables of this version. */
async function usable({ add }: FolderScene, inspection: FileInspection): Promise<FileInspection | null> {
  let damage: string[] = []
  try {
    damage = inspection.damage(false)
    const version = damage.length > 0 ? 'same' : await inspection.version()
    if (damage.length === 0 && version === 'same') return inspection
    if (version === 'newer')
      add(finding('database_newer', 'A newer version of docsearch has written to this data folder.', { place: DATABASE }))
    if (version === 'older')
      add(finding('database_older', 'An earlier version of docsearch has written to this data folder.', { place: DATABASE }))
  } catch (error) {
    if (!isDocsearchError(error, 'database_corrupt')) throw error
    damage = [causeOf(error)]
  }
  if (damage.length > 0)
    add(finding('database_damaged', `${DATABASE} is damaged: ${damage.slice(0, 3).join('; ')}.`, { place: DATABASE }))
  await inspection.close()
  return null
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message
}
