import { mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DocsearchError } from '../../core/errors.ts'
import { ClientError, reasonOf } from '../errors.ts'
import { isMissing } from '../private-file.ts'

interface Holder {
  pid: number
  host: string
  /** Different each time the lock is taken. */
  nonce: string
}

export interface LockOptions {
  /** Ends the wait for the lock, but not the work under it. */
  signal?: AbortSignal | undefined
  /** A lock older than this is abandoned, even if its process is alive. Longer than any work under a lock. */
  staleMs?: number
  waitMs?: number
}

const STALE_MS = 120_000
const WAIT_MS = 150_000
const POLL_MS = 40

/**
 * Runs `body` while no other process of this user does so under the same lock. The lock is a file that names its holder. It is removed
 * when its process has ended, or when it is too old.
 * Throws ClientError `aborted`, `login_busy` when the lock is not free in time, and DocsearchError `settings_unwritable`.
 */
export async function withLock<T>(file: string, body: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const holder: Holder = { pid: process.pid, host: hostname(), nonce: crypto.randomUUID() }
  const deadline = Date.now() + (options.waitMs ?? WAIT_MS)
  while (!(await take(file, holder))) {
    if (options.signal?.aborted === true) throw new ClientError('aborted', 'Cancelled.')
    if (Date.now() > deadline) {
      throw new ClientError(
        'login_busy',
        `Another docsearch process holds ${file}. Try again, or remove the file if no other docsearch is running.`,
        {
          status: 503,
        },
      )
    }
    if (await isStale(file, options.staleMs ?? STALE_MS)) await clear(file, options.staleMs ?? STALE_MS)
    else await sleep(POLL_MS * (0.5 + Math.random()))
  }
  try {
    return await body()
  } finally {
    if ((await read(file))?.nonce === holder.nonce) await rm(file, { force: true })
  }
}

/** Returns false when another process holds the lock. */
async function take(file: string, holder: Holder): Promise<boolean> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(JSON.stringify(holder))
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw new DocsearchError('settings_unwritable', `Cannot write ${file}: ${reasonOf(error)}.`, { cause: error })
  }
}

async function isStale(file: string, staleMs: number): Promise<boolean> {
  const age = await ageOf(file)
  if (age === null) return false
  if (age > staleMs) return true
  const holder = await read(file)
  // The age alone decides for a file that is not written yet, or that another machine with the same home folder has written.
  return holder !== null && holder.host === hostname() && !isAlive(holder.pid)
}

/**
 * Removes a stale lock. A second file guards the removal: of two processes that saw the same stale lock, the slower one would otherwise remove
 * the lock that a third process has taken since.
 */
async function clear(file: string, staleMs: number): Promise<void> {
  const guard = `${file}.clear`
  if (!(await take(guard, { pid: process.pid, host: hostname(), nonce: '' }))) {
    if (((await ageOf(guard)) ?? 0) > staleMs) await rm(guard, { force: true })
    return
  }
  try {
    if (await isStale(file, staleMs)) await rm(file, { force: true })
  } finally {
    await rm(guard, { force: true })
  }
}

/** Returns null when the file is missing or not fully written. */
async function read(file: string): Promise<Holder | null> {
  try {
    const { pid, host, nonce } = JSON.parse(await readFile(file, 'utf8')) as Partial<Holder>
    return typeof pid === 'number' && typeof host === 'string' && typeof nonce === 'string' ? { pid, host, nonce } : null
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return null
    throw error
  }
}

/** Returns the age in milliseconds; null when the file is missing. */
async function ageOf(file: string): Promise<number | null> {
  try {
    return Date.now() - (await stat(file)).mtimeMs
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process runs as another user.
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH'
  }
}
