import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { reasonOf } from '../../client/errors.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import { createBar } from '../view/progress-bar.ts'
import type { Context } from '../context.ts'
import { cancelled } from '../exit.ts'
import type { FoundFile, Refusal } from './found.ts'
import type { HashCache } from './hash-cache.ts'

export interface HashedFile extends FoundFile {
  sha256: string
}

/** Each file that is being read takes one buffer. */
const PARALLEL_FILES = 4
const BUFFER_BYTES = 256 * 1024

/**
 * Hashes every file, with a progress bar on a terminal. Files that can't be read are in `refused`. Reads no file whose hash is in the
 * cache, and adds the others to it.
 */
export async function hashFiles(
  context: Context,
  files: readonly FoundFile[],
  cache: HashCache | null = null,
): Promise<{ files: HashedFile[]; refused: Refusal[] }> {
  const hashed = files.map((file) => withHash(file, cache?.get(file)))
  const unknown = files.map((_, i) => i).filter((i) => hashed[i] === null)
  const refused: Refusal[] = []
  const totalBytes = unknown.reduce((sum, i) => sum + files[i]!.size, 0)
  const bar = createBar(context)
  let bytesDone = 0
  const show = () => bar.show('Comparing', bytesDone, totalBytes, `${formatBytes(bytesDone)} of ${formatBytes(totalBytes)}`)

  async function worker(): Promise<void> {
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
    for (let i = unknown.shift(); i !== undefined; i = unknown.shift()) {
      const file = files[i]!
      try {
        const { sha256, size } = await hashFile(file, buffer, cache, (bytes) => {
          if (context.io.signal.aborted) throw cancelled('Cancelled. Nothing was uploaded.')
          bytesDone += bytes
          show()
        })
        hashed[i] = { ...file, sha256, size }
      } catch (error) {
        if (context.io.signal.aborted) throw error
        refused.push({ path: file.path, name: file.name, code: 'unreadable', message: reasonOf(error) })
      }
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(PARALLEL_FILES, unknown.length) }, worker))
  } finally {
    bar.stop()
  }
  return { files: hashed.filter((file) => file !== null), refused }
}

function withHash(file: FoundFile, sha256: string | undefined): HashedFile | null {
  return sha256 === undefined ? null : { ...file, sha256 }
}

async function hashFile(
  file: FoundFile,
  buffer: Buffer,
  cache: HashCache | null,
  onRead: (bytes: number) => void,
): Promise<{ sha256: string; size: number }> {
  const handle = await open(file.file)
  try {
    const before = cache === null ? null : await handle.stat()
    const result = await hashContent(handle, buffer, onRead)
    if (cache !== null && before !== null) cache.add(file.path, result.sha256, before, await handle.stat())
    return result
  } finally {
    await handle.close()
  }
}

async function hashContent(
  handle: FileHandle,
  buffer: Buffer,
  onRead: (bytes: number) => void,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
    onRead(bytesRead)
    if (bytesRead === 0) return { size, sha256: hash.digest('hex') }
    size += bytesRead
    hash.update(buffer.subarray(0, bytesRead))
  }
}

/** Returns the hash of a file in hex, or null when there is no file that can be read. */
export async function hashOfFile(file: string, algorithm: 'sha256' | 'md5' = 'sha256'): Promise<string | null> {
  const hash = createHash(algorithm)
  try {
    await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), hash)
  } catch {
    // The caller writes or reports the file.
    return null
  }
  return hash.digest('hex')
}
