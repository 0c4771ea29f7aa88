import { open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { translateDiskError } from '../../core/disk-errors.ts'
import { DocsearchError } from '../../core/errors.ts'
import { killPoint } from '../../core/kill-point.ts'

/** How many copies of earlier versions stay next to the database. */
const MAX_COPIES = 3
/** The copy, and the write-ahead log of the upgrade, which can rewrite every table. */
const NEEDED_SIZES = 2

export interface Copy {
  file: string
  bytes: number
}

/**
 * Copies the database to `docsearch.db.before-VERSION` next to it. The copy has this name only once it is complete and synced. Throws `disk_full`
 * when there is no room for the copy and the upgrade.
 */
export async function copyBeforeUpgrade(database: DatabaseSync, file: string, version: string): Promise<Copy> {
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
export async function pruneCopies(file: string, newest: string): Promise<string[]> {
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
