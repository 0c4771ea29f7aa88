import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { DocsearchError } from '../core/errors.ts'
import { CHECK_ONLY, type Receiver } from './content.ts'
import { hashOfPath } from './layout.ts'
import { compareWithManifest, type BackupManifest, type Fault } from './manifest.ts'
import { readFolder } from './read-folder.ts'
import { readTar, type ReadBackup } from './read-tar.ts'

export interface Source {
  /** A tar file, a folder, or `-` for standard input. */
  target: string
  stdin: () => Readable
  /** The name of a backup in a folder. By default, the newest one. */
  snapshot?: string | undefined
  signal?: AbortSignal | undefined
  onBytes?: ((bytes: number) => void) | undefined
}

export interface CheckedBackup {
  manifest: BackupManifest
  /** Files that differ from the manifest. */
  faults: Fault[]
  /** True when only originals are damaged or missing. */
  isRestorable: boolean
  /** What was read. */
  bytes: number
}

/** Reads a backup, hands each file to the receiver, and compares everything with the manifest. Throws `backup_incomplete` and `backup_damaged`. */
export async function checkBackup(source: Source, receiver: Receiver = CHECK_ONLY): Promise<CheckedBackup> {
  const { manifest, seen } = await read(source, receiver)
  const faults = compareWithManifest(manifest, seen)
  const bytes = [...seen.values()].reduce((sum, { size }) => sum + size, 0)
  const isRestorable = faults.every(({ path, fault }) => fault !== 'unexpected' && hashOfPath(path) !== null)
  return { manifest, faults, isRestorable, bytes }
}

async function read({ target, stdin, snapshot, ...options }: Source, receiver: Receiver): Promise<ReadBackup> {
  const isFolder = target !== '-' && (await isDirectory(target))
  if (isFolder) return readFolder(target, receiver, { snapshot, ...options }).catch(failedReading)
  if (snapshot !== undefined)
    throw new DocsearchError('backup_target', '--snapshot names a backup in a folder. A tar has only one.')
  return readTar(target === '-' ? stdin() : createReadStream(target), receiver, options).catch(failedReading)
}

/** Throws `backup_target` when this user may not read a file of the backup, and any other error as it is. */
function failedReading(error: unknown): never {
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if ((code !== 'EACCES' && code !== 'EPERM') || (syscall !== 'open' && syscall !== 'scandir') || path === undefined) throw error
  throw new DocsearchError(
    'backup_target',
    `Cannot read ${path}: permission denied. Run the command as the user who owns the backup, or with sudo.`,
    { cause: error },
  )
}

async function isDirectory(target: string): Promise<boolean> {
  return (await statOf(target)).isDirectory()
}

/** Returns the size of a tar file; null for a folder or standard input. */
export async function sizeOfTarget(target: string): Promise<number | null> {
  const stats = target === '-' ? null : await statOf(target)
  return stats?.isFile() ? stats.size : null
}

/** Throws a usage error when nothing is piped in. */
export function refuseTerminal(stdin: { isTTY?: boolean }): void {
  if (stdin.isTTY === true)
    throw new DocsearchError(
      'usage',
      'Standard input is a terminal. Pipe a backup to it, for example `docsearch restore - < backup.tar`.',
    )
}

async function statOf(target: string) {
  try {
    return await stat(target)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `There is no file or folder ${target}. Check the name.`
        : `Cannot read ${target}: ${message}.`
    throw new DocsearchError('backup_target', reason, { cause: error })
  }
}
