import { closeSync, existsSync, fchownSync, openSync, statSync } from 'node:fs'
import { access, chmod, constants, mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { factsFile, runningDaemonOf, type DaemonFacts } from '../client/local-daemon.ts'
import { WEBHOOK_KEY } from '../backup/layout.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import { makeFolder } from '../core/sync.ts'
import { refuseMoved } from './migrate/mark.ts'
import { userInfo } from 'node:os'

export const DATABASE_FILE = 'docsearch.db'
/** The folder into which a backup is being restored. While it has something in it, the data folder is not complete. */
export const RESTORING = 'restoring'

/** A data folder that only this process may use until it closes the folder. */
export interface DataFolder {
  dir: string
  database: string
  blobs: string
  /** The key that encrypts the secrets of webhooks. It exists once a project has had a webhook. */
  webhookKey: string
  /** Emptied at start and end. */
  temporary: string
  /** Tells a second daemon which one uses the folder. */
  announce(facts: DaemonFacts): Promise<void>
  close(): Promise<void>
}

/**
 * Creates the folder (mode 0700) if it is missing, checks that it is writable and belongs to this user, and locks it. Throws `data_unusable`, or
 * `data_in_use` with the daemon that uses it.
 *
 * The lock is an exclusive SQLite transaction on a separate file. The operating system drops it when the process ends in any way, so there is
 * never a stale lock file.
 */
export async function openDataFolder(dir: string, { isRestore = false, isMigration = false } = {}): Promise<DataFolder> {
  await makeUsable(dir)
  const holderFile = factsFile(dir)
  const lock = takeLock(join(dir, LOCK_FILE), dir)
  if (!isRestore) await refuseUnfinished(dir, lock)
  try {
    if (!isMigration) {
      await refuseMoved(dir)
      await refuseLostDatabase(dir)
    }
  } catch (error) {
    lock.close()
    throw error
  }
  const temporary = temporaryFolder(dir)
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { mode: 0o700 })
  return {
    dir,
    database: join(dir, DATABASE_FILE),
    blobs: join(dir, 'blobs'),
    webhookKey: join(dir, WEBHOOK_KEY),
    temporary,
    announce: (facts) =>
      writeFile(holderFile, `${JSON.stringify({ ...facts, started_at: new Date().toISOString() })}\n`, { mode: 0o600 }),
    async close() {
      await rm(holderFile, { force: true })
      await rm(temporary, { recursive: true, force: true })
      lock.close()
    },
  }
}

/**
 * Makes every file that this process and its children create accessible only to this user. All code that writes to a data folder
 * calls this first, because SQLite and LanceDB set no mode for their files.
 */
export function keepFilesPrivate(): void {
  process.umask(0o077)
}

/** True when a daemon has run on the folder or users were added. */
export function isDataFolder(dir: string): boolean {
  return existsSync(join(dir, DATABASE_FILE))
}

/**
 * Throws `database_corrupt` when the folder has originals but its database is missing or empty. A new database would know none of the originals, and
 * the daemon deletes originals without a document.
 */
export async function refuseLostDatabase(dir: string): Promise<void> {
  const database = await stat(join(dir, DATABASE_FILE)).catch(() => null)
  if (database !== null && database.size > 0) return
  const originals = await readdir(join(dir, 'blobs')).catch(() => [])
  if (originals.length === 0) return
  throw new DocsearchError(
    'database_corrupt',
    `The database ${DATABASE_FILE} is ${database === null ? 'missing' : 'empty'}, but the folder "blobs" has files. Nothing was changed. ` +
      'Restore a backup of the data folder, or name another folder with --data.',
  )
}

const LOCK_FILE = 'daemon.lock'
/** What a process leaves in an empty folder if it is killed right after it has opened the folder. */
export const TRACES = new Set([LOCK_FILE, `${LOCK_FILE}-journal`, 'tmp'])

/** Returns the first of the names in a folder that shows that the folder is not empty. Null if there is none. */
export function firstContent(names: readonly string[]): string | null {
  const wasOpened = names.includes(LOCK_FILE)
  return names.find((name) => name !== 'lost+found' && !(wasOpened && TRACES.has(name))) ?? null
}

/** The folder for files that must not outlive the process. */
export function temporaryFolder(dir: string): string {
  return join(dir, 'tmp')
}

/** Creates the folder with mode 0700 if it is missing. Throws `data_unusable` when it belongs to another user or is not writable. */
export async function makeUsable(dir: string): Promise<void> {
  try {
    await makeFolder(dir)
    const stats = await stat(dir)
    if (!stats.isDirectory())
      throw new DocsearchError('data_unusable', `${dir} is not a folder. Name another folder with --data.`)
    const uid = process.getuid?.()
    if (uid !== undefined && stats.uid !== uid) {
      throw new DocsearchError(
        'data_unusable',
        `The data folder ${dir} belongs to another user (id ${stats.uid}, this is ${userName()}, id ${uid}). Run as that user, or name another folder with --data.`,
      )
    }
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK)
    if ((stats.mode & 0o077) !== 0) await chmod(dir, 0o700)
  } catch (error) {
    if (error instanceof DocsearchError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      code === 'EROFS' || code === 'EACCES'
        ? 'is not writable. Change its permissions, or name another folder with --data.'
        : code === 'ENOTDIR' || code === 'EEXIST'
          ? 'is not a folder. Name another folder with --data.'
          : `cannot be used: ${message}. Name another folder with --data.`
    throw new DocsearchError('data_unusable', `The data folder ${dir} ${why}`, { cause: error })
  }
}

async function refuseUnfinished(dir: string, lock: DatabaseSync): Promise<void> {
  // After the last step of a restore, the folder is empty.
  const isUnfinished = await rmdir(join(dir, RESTORING)).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
  if (!isUnfinished) return
  lock.close()
  throw new DocsearchError(
    'data_unusable',
    `${dir} is not complete, because \`docsearch restore\` was interrupted there. Run it again with --data ${dir}.`,
  )
}

/**
 * Locks an existing data folder without changing anything else in it. Returns `in_use` while a daemon runs on it, and null when the folder can't be
 * written, so that no daemon can run on it either.
 */
export function lockDataFolder(dir: string): { close(): void } | 'in_use' | null {
  try {
    return takeLock(join(dir, LOCK_FILE), dir)
  } catch (error) {
    if (isDocsearchError(error, 'data_in_use')) return 'in_use'
    if (isDocsearchError(error, 'data_unusable')) return null
    throw error
  }
}

/** Creates the file if it is missing. Root may run the doctor for another user, whose daemon must be able to lock the file afterwards. */
function createLockFile(file: string, dir: string): void {
  let fd: number
  try {
    fd = openSync(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw error
  }
  try {
    const { uid, gid } = statSync(dir)
    if (process.getuid?.() === 0) fchownSync(fd, uid, gid)
  } finally {
    closeSync(fd)
  }
}

function takeLock(file: string, dir: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    createLockFile(file, dir)
    lock = new DatabaseSync(file)
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const message = (error as Error).message
    if (/locked|busy/i.test(message)) {
      throw new DocsearchError(
        'data_in_use',
        `The data folder ${dir} is in use by another daemon${holder(dir)}. Stop that daemon, or name another folder with --data.`,
        {
          cause: error,
        },
      )
    }
    throw new DocsearchError(
      'data_unusable',
      `The data folder ${dir} is not writable (${message}). Change its permissions, or name another folder with --data.`,
      { cause: error },
    )
  }
}

/** Names the daemon that uses the folder. Another process may use it now, and a killed daemon may have left its facts. */
function holder(dir: string): string {
  const facts = runningDaemonOf(dir)
  return facts === null ? '' : ` (process ${String(facts.pid)}, ${String(facts.url)})`
}

/**
 * Returns the name of the user who runs this process. In a container with `--user 1000`, the system has no name for the user: then it is that of
 * `USER`, or `owner`.
 */
export function userName(env: Readonly<Record<string, string | undefined>> = process.env): string {
  try {
    return userInfo().username
  } catch {
    // The system has no entry for this user ID.
    return env['USER'] || 'owner'
  }
}
