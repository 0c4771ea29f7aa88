import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, lstat, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DocsearchError } from '../core/errors.ts'
import { syncFile, syncFolder } from '../core/sync.ts'
import { CHECK_ONLY } from './content.ts'
import { failedWriting } from './file-writer.ts'
import { compareWithManifest, damaged, type BackupManifest } from './manifest.ts'
import { readTar } from './read-tar.ts'

interface CopyOptions {
  signal?: AbortSignal | undefined
  onBytes?: ((bytes: number) => void) | undefined
  /** False keeps the target open, for standard output. */
  end?: boolean
}

/** Throws `file_exists`, so that no backup is made that can't be written. */
export async function requireNew(file: string): Promise<void> {
  const exists = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    return failedWriting(error)
  })
  if (exists !== null) throw fileExists(file)
}

/**
 * Writes a backup to a tar file. The file appears only when it is complete and every hash is right. With `force`, it replaces an existing
 * file. Throws `file_exists` otherwise.
 */
export async function writeTarFile(
  source: Readable,
  file: string,
  { force, ...options }: CopyOptions & { force: boolean },
): Promise<BackupManifest> {
  const part = join(dirname(file), `.${basename(file).slice(0, 100)}.${randomBytes(4).toString('hex')}.part`)
  try {
    const manifest = await copyTar(source, createWriteStream(part, { flags: 'wx', mode: 0o600 }), options)
    await syncFile(part)
    if (force) await rename(part, file)
    // Unlike a rename, a link fails when the file was created in the meantime.
    else await link(part, file)
    await syncFolder(dirname(file))
    return manifest
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw fileExists(file)
    return failedWriting(error, file)
  } finally {
    await rm(part, { force: true })
  }
}

/** Copies a backup and checks it on the way. Throws what `readTar` throws, and `backup_damaged`. */
export async function copyTar(
  source: Readable,
  target: NodeJS.WritableStream,
  options: CopyOptions = {},
): Promise<BackupManifest> {
  const checked = new PassThrough()
  const copying = pipeline(
    source,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        const isFull = !checked.write(chunk)
        if (isFull && !checked.destroyed)
          await new Promise<void>((resolve) => checked.once('drain', resolve).once('close', resolve))
        // Reading has failed or was cancelled. Nothing would ever drain the stream again.
        if (checked.destroyed) throw new Error('the backup is no longer read', { cause: checked.errored })
        yield chunk
      }
      checked.end()
    },
    target,
    { end: options.end ?? true, ...(options.signal !== undefined && { signal: options.signal }) },
  )
  copying.catch((error: Error) => checked.destroy(error))
  const reading = readTar(checked, CHECK_ONLY, options)
  // A pipeline that keeps its target open waits for the target, even after it was cancelled.
  const copiedOrCancelled = options.end === false ? Promise.race([copying, reading.then(() => copying)]) : copying
  const [copied, read] = await Promise.allSettled([copiedOrCancelled, reading])
  // A full disk is the cause of a tar that was cut off.
  if (copied.status === 'rejected' && 'syscall' in (copied.reason as object)) throw copied.reason
  if (read.status === 'rejected') throw read.reason
  if (copied.status === 'rejected') throw copied.reason
  const { manifest, seen } = read.value
  const faults = compareWithManifest(manifest, seen)
  if (faults.length > 0) throw damaged(faults, 'Take the backup again.')
  return manifest
}

function fileExists(file: string): DocsearchError {
  return new DocsearchError('file_exists', `${file} already exists. Overwrite it with --force, or name another file.`)
}
