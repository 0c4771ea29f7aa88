import { createReadStream } from 'node:fs'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { Blobs } from './blobs.ts'

/** An original is adopted before its document's row is committed: for this long it needs none. */
const GRACE_MS = 10 * 60_000

/** Originals as files: `blobs/ab/cdef…` by the hash of their bytes, in a data folder on one file system. */
export async function openBlobs({ folder, clock }: { folder: string; clock: Clock }): Promise<Blobs> {
  const root = join(folder, 'blobs')
  const incoming = join(folder, 'incoming')
  const adopted = new Map<string, number>()
  const exclusive = keyedLock()
  const fileOf = (sha256: string) => join(root, sha256.slice(0, 2), sha256.slice(2))

  await writing(async () => {
    // What was being received when the daemon ended was never acknowledged.
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    if (await mkdir(root, { recursive: true, mode: 0o700 })) await syncFolder(folder)
  })

  async function size(sha256: string): Promise<number> {
    try {
      return (await stat(fileOf(sha256))).size
    } catch (error) {
      throw missing(error)
    }
  }

  return {
    incoming,
    size,
    adopt: (file, sha256) =>
      exclusive(sha256, () =>
        writing(async () => {
          const target = fileOf(sha256)
          await chmod(file, 0o600)
          await syncFile(file)
          killPoint('fsync')
          if (await mkdir(dirname(target), { recursive: true, mode: 0o700 })) await syncFolder(root)
          // Also when it is there already: the same bytes, and should those on the disk have suffered they are whole again.
          await rename(file, target)
          killPoint('rename')
          await syncFolder(dirname(target))
          adopted.set(sha256, clock.now().getTime())
        }),
      ),
    async path(sha256) {
      await size(sha256)
      return fileOf(sha256)
    },
    async open(sha256, range) {
      await size(sha256)
      return createReadStream(fileOf(sha256), range)
    },
    async sweep(isReferenced) {
      let swept = 0
      const now = clock.now().getTime()
      for (const [sha256, at] of adopted) if (now - at > GRACE_MS) adopted.delete(sha256)
      for (const prefix of await readdir(root)) {
        for (const rest of await readdir(join(root, prefix))) {
          const sha256 = prefix + rest
          // Under the same lock as `adopt`, so that bytes which come again right now are not taken from under their new document.
          const gone = await exclusive(sha256, async () => {
            if (adopted.has(sha256) || (await isReferenced(sha256))) return false
            await rm(fileOf(sha256), { force: true })
            return true
          })
          if (gone) swept += 1
        }
      }
      return swept
    },
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes names in a folder survive a power cut. Windows cannot do it and does not need it: NTFS journals names. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translate(error)
  }
}

function translate(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const outside = { blame: 'outside' as const, cause: error }
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new DocsearchError('disk_full', 'The disk is full. Make room, then try again.', { ...outside, retryAfter: 30 })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new DocsearchError(
        'data_readonly',
        'The data folder cannot be written to. Check who owns it and its permissions.',
        outside,
      )
    case 'EIO':
      return new DocsearchError(
        'disk_error',
        'The disk under the data folder reported an error. Check it before going on.',
        outside,
      )
    default:
      return error
  }
}

function missing(cause: unknown): DocsearchError {
  return new DocsearchError('blob_missing', 'The original of this document is not in the data folder. Upload it again.', {
    blame: 'outside',
    cause,
  })
}

/** One piece of work at a time for each key. */
function keyedLock(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    // The next in line waits for the end of this one, however it ends; its own caller is told of a failure.
    const settled = mine.catch(() => {})
    last.set(key, settled)
    try {
      return await mine
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
