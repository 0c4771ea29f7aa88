import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DocsearchError } from '../core/errors.ts'
import { Content, type Receiver } from './content.ts'
import { isBackupPath, isSnapshotName, MANIFEST, originalPath, placeIn, snapshotName } from './layout.ts'
import { incomplete, MAX_MANIFEST_BYTES, parseManifest, type BackupManifest, type SeenFile } from './manifest.ts'
import { type ReadBackup, notABackup } from './read-tar.ts'

/** The folder with one folder for each backup, in a folder target. */
export const SNAPSHOTS = 'snapshots'

interface FolderOptions {
  /** The name of a backup. By default, the newest one. */
  snapshot?: string | undefined
  signal?: AbortSignal | undefined
  onBytes?: ((bytes: number) => void) | undefined
}

/**
 * Reads one backup of a folder and hands each file to the receiver. A file that is missing is not handed on. Throws `backup_incomplete` when
 * the folder has no complete backup, `backup_damaged`, `backup_newer`, and `backup_target` for a folder or backup that does not exist.
 */
export async function readFolder(folder: string, receiver: Receiver, options: FolderOptions = {}): Promise<ReadBackup> {
  const { snapshot = await newestOf(folder), signal, onBytes } = options
  const place = join(folder, SNAPSHOTS, snapshot)
  const manifest = await readManifest(place, snapshot, folder)
  const seen = new Map<string, SeenFile>()
  const take = async (path: string, file: string) => {
    signal?.throwIfAborted()
    const size = await sizeOf(file, path)
    if (size === null) return
    const content = new Content(createReadStream(file), size)
    await receiver.take(path, content)
    onBytes?.(size)
    seen.set(path, { sha256: content.sha256(), size: content.bytes })
  }
  for (const { path } of manifest.files) {
    if (!isBackupPath(path) || path === MANIFEST) throw notABackup(`its manifest names ${JSON.stringify(path.slice(0, 200))}`)
    await take(path, placeIn(place, path))
  }
  for (const sha256 of Object.keys(manifest.originals)) await take(originalPath(sha256), placeIn(folder, originalPath(sha256)))
  return { manifest, seen }
}

/** Returns the complete backups of a folder by name, oldest first. */
export async function listSnapshots(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, SNAPSHOTS)).catch(missing)
  const complete: string[] = []
  for (const name of (names ?? []).filter(isSnapshotName).toSorted())
    if ((await lstat(join(folder, SNAPSHOTS, name, MANIFEST)).catch(missing))?.isFile()) complete.push(name)
  return complete
}

/** Returns the name of the backup that the manifest of the folder belongs to. */
async function newestOf(folder: string): Promise<string> {
  const names = await readdir(folder).catch(missing)
  if (names === null) throw new DocsearchError('backup_target', `There is no file or folder ${folder}. Check the name.`)
  if (names.includes(MANIFEST)) return snapshotName(new Date((await parsedManifest(join(folder, MANIFEST))).created_at))
  if (names.includes(SNAPSHOTS) || names.includes('blobs')) throw incomplete()
  throw new DocsearchError('backup_target', `${folder} has no docsearch backup. Check the name.`)
}

async function readManifest(place: string, snapshot: string, folder: string): Promise<BackupManifest> {
  // Any other name could lead to another folder.
  if (isSnapshotName(snapshot)) {
    if ((await lstat(join(place, MANIFEST)).catch(missing)) !== null) return parsedManifest(join(place, MANIFEST))
    if ((await lstat(place).catch(missing)) !== null) throw incomplete()
  }
  const known = await listSnapshots(folder)
  throw new DocsearchError(
    'backup_target',
    `${folder} has no backup ${snapshot || 'without a name'}. Its backups: ${known.length === 0 ? 'none' : known.join(', ')}.`,
  )
}

async function parsedManifest(file: string): Promise<BackupManifest> {
  const stats = await lstat(file)
  if (!stats.isFile() || stats.size > MAX_MANIFEST_BYTES) throw notABackup('its manifest is not a plain file, or is too large')
  return parseManifest(await readFile(file, 'utf8'))
}

/** Returns null for a missing file. A link could lead out of the backup. */
async function sizeOf(file: string, path: string): Promise<number | null> {
  const stats = await lstat(file).catch(missing)
  if (stats === null) return null
  if (!stats.isFile()) throw notABackup(`${path} is not a plain file`)
  return stats.size
}

function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
