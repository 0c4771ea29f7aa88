import { createReadStream } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat, open, type FileHandle } from 'node:fs/promises'
import path, { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import type { Clock } from '../core/clock.ts'
import { translateDiskError } from '../core/disk-errors.ts'
import { killPoint } from '../core/kill-point.ts'
import { syncFile, syncFolder } from '../core/sync.ts'
import { blobMissing, SWEEP_GRACE_MS, type Blobs } from './blobs.ts'
import { verifyBlob } from './verify.ts'
import { createHash, randomUUID, type Hash } from 'node:crypto'

/** Reads originals of a data folder, also while a daemon runs on it. */
export function readBlobs(folder: string): Pick<Blobs, 'size' | 'open' | 'verify'> {
  const fileOf = fileIn(join(folder, 'blobs'))
  const size = async (sha256: string) => {
    try {
      return (await stat(fileOf(sha256))).size
    } catch (error) {
      throw isMissing(error) ? blobMissing(error) : translateDiskError(error)
    }
  }
  return {
    size,
    async open(sha256, range) {
      await size(sha256)
      return createReadStream(fileOf(sha256), range)
    },
    verify: (expected, onRead) => verifyBlob(folder, expected, onRead),
  }
}

function fileIn(root: string): (sha256: string) => string {
  return (sha256) => join(root, sha256.slice(0, 2), sha256.slice(2))
}

/** Originals as files in a data folder: the bytes with the hash `abcdef…` lie in `blobs/ab/cdef…`. */
export async function openBlobs({ folder, clock }: { folder: string; clock: Clock }): Promise<Blobs> {
  const root = join(folder, 'blobs')
  // On the same file system as `blobs/`, so that storing a file is a rename.
  const incoming = join(folder, 'incoming')
  const storedAt = new Map<string, number>()
  const exclusive = lockPerKey()
  const fileOf = fileIn(root)
  const { size, open, verify } = readBlobs(folder)

  await withDiskErrors(async () => {
    // No client got an answer for a body that was still arriving when the daemon stopped.
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    if (await mkdir(root, { recursive: true, mode: 0o700 })) await syncFolder(folder)
  })

  return {
    incoming,
    size,
    open,
    verify,
    put: (file, sha256) =>
      exclusive(sha256, () =>
        withDiskErrors(async () => {
          const target = fileOf(sha256)
          await chmod(file, 0o600)
          await syncFile(file)
          killPoint('fsync')
          if (await mkdir(dirname(target), { recursive: true, mode: 0o700 })) await syncFolder(root)
          // Also when the target exists: its bytes may be damaged on the disk, and these are known to be good.
          await rename(file, target)
          killPoint('rename')
          await syncFolder(dirname(target))
          storedAt.set(sha256, clock.now().getTime())
        }),
      ),
    async withFile(sha256, work) {
      await size(sha256)
      return work(fileOf(sha256))
    },
    async sweep(isReferenced) {
      let deleted = 0
      const now = clock.now().getTime()
      for (const [sha256, at] of storedAt) if (now - at > SWEEP_GRACE_MS) storedAt.delete(sha256)
      for (const prefix of await readdir(root)) {
        for (const rest of await readdir(join(root, prefix))) {
          const sha256 = prefix + rest
          // Under the lock of `put`, so that the sweep cannot delete bytes that a new document is just storing again.
          const isDeleted = await exclusive(sha256, async () => {
            if (storedAt.has(sha256) || (await isReferenced(sha256))) return false
            await rm(fileOf(sha256), { force: true })
            return true
          })
          if (isDeleted) deleted += 1
        }
      }
      return deleted
    },
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

async function withDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateDiskError(error)
  }
}

/** Runs at most one piece of work at a time for each key. */
function lockPerKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const locks = new Map<string, { run: ReturnType<typeof pLimit>; users: number }>()
  return async (key, work) => {
    const lock = locks.get(key) ?? { run: pLimit(1), users: 0 }
    locks.set(key, lock)
    lock.users += 1
    try {
      return await lock.run(work)
    } finally {
      lock.users -= 1
      if (lock.users === 0) locks.delete(key)
    }
  }
}

/** A file of an upload as it lies in the incoming folder, under a name that no client chose. */
export interface IncomingFile {
  file: string
  sha256: string
  sizeBytes: number
  /** The file is over the limit, and its bytes were thrown away. */
  isTooLarge: boolean
}

/** Takes the bytes of one file. Resolve each write before the next. */
export interface IncomingSink {
  write(chunk: Buffer): Promise<void>
  end(): Promise<IncomingFile>
}

/** The files of one upload while they arrive. */
export interface IncomingFiles {
  receive(): Promise<IncomingSink>
  /** Removes the files that no document took over, complete or not. */
  clean(): Promise<void>
}

/** Parsers of multipart bodies hand on small pieces. A write to the disk for each would take longer than everything else. */
const WRITE_BYTES = 262_144
/** Bounds the memory for a body that arrives in tiny pieces. */
const MAX_HELD_PIECES = 4_096

/** Streams files into `folder`, each hashed on the way. At most `maxBytes` of each file are written. */
export function receiveFiles(folder: string, maxBytes: number): IncomingFiles {
  const sinks: FileSink[] = []
  return {
    async receive() {
      const file = path.join(folder, `${randomUUID()}.part`)
      const sink = new FileSink(file, await open(file, 'wx', 0o600), maxBytes)
      sinks.push(sink)
      return sink
    },
    async clean() {
      for (const sink of sinks) await sink.remove()
    },
  }
}

class FileSink implements IncomingSink {
  readonly #file: string
  readonly #handle: FileHandle
  readonly #maxBytes: number
  readonly #hash: Hash = createHash('sha256')
  #isOpen = true
  #sizeBytes = 0
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(file: string, handle: FileHandle, maxBytes: number) {
    this.#file = file
    this.#handle = handle
    this.#maxBytes = maxBytes
  }

  async write(chunk: Buffer): Promise<void> {
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes > this.#maxBytes) return
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes >= WRITE_BYTES || this.#held.length >= MAX_HELD_PIECES) await this.#flush()
  }

  async end(): Promise<IncomingFile> {
    const isTooLarge = this.#sizeBytes > this.#maxBytes
    if (!isTooLarge) await this.#flush()
    await this.#close()
    if (isTooLarge) await rm(this.#file, { force: true })
    return { file: this.#file, sha256: this.#hash.digest('hex'), sizeBytes: this.#sizeBytes, isTooLarge }
  }

  async remove(): Promise<void> {
    await this.#close()
    await rm(this.#file, { force: true })
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    this.#hash.update(bytes)
    // A write may take only a part of what it is given.
    for (let at = 0; at < bytes.length;) at += (await this.#handle.write(bytes, at)).bytesWritten
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#handle.close()
  }
}
