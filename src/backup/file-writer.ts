import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DocsearchError } from '../core/errors.ts'
import { makeFolder, syncFolder } from '../core/sync.ts'
import type { Content } from './content.ts'

/** Files that are synced at the same time. One after another, the disk would mostly wait. */
const PARALLEL_SYNCS = 16

/**
 * Writes files that survive a power cut once `finish` has returned. A file gets its name when it is on the disk, so a name never stands for
 * a part of a file.
 */
export class FileWriter {
  readonly #folders = new Set<string>()
  readonly #syncs = new Set<Promise<void>>()
  #failure: unknown = null

  /** Also rejects when an earlier file could not be synced. Calls `isWanted` once the content is read, and deletes the file if it returns false. */
  async write(path: string, content: Pick<Content, typeof Symbol.asyncIterator>, isWanted: () => boolean = () => true) {
    this.#throwFailure()
    const part = `${path}.part`
    await this.#makeFolder(dirname(path))
    const handle = await open(part, 'w', 0o600).catch((error: unknown) => failedWriting(error))
    try {
      for await (const chunk of content) {
        try {
          // Unlike `write`, this always writes all bytes.
          await handle.writeFile(chunk)
        } catch (error) {
          failedWriting(error)
        }
      }
    } catch (error) {
      await handle.close()
      await rm(part, { force: true })
      throw error
    }
    if (!isWanted()) {
      await handle.close()
      await rm(part, { force: true })
      return
    }
    const sync = this.#sync(handle, part, path).finally(() => this.#syncs.delete(sync))
    this.#syncs.add(sync)
    if (this.#syncs.size >= PARALLEL_SYNCS) await Promise.race(this.#syncs)
  }

  /** Never rejects: the next call reports the failure. */
  async #sync(handle: FileHandle, part: string, path: string): Promise<void> {
    try {
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(part, path)
    } catch (error) {
      this.#failure ??= error
    }
  }

  /** Waits until everything is on the disk. */
  async finish(): Promise<void> {
    await Promise.all(this.#syncs)
    this.#throwFailure()
    for (const folder of this.#folders) await syncFolder(folder)
  }

  /** Waits until no file is being written any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#syncs)
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return
    await makeFolder(folder).catch((error: unknown) => failedWriting(error))
    this.#folders.add(folder)
    this.#folders.add(dirname(folder))
  }

  #throwFailure(): void {
    if (this.#failure !== null) failedWriting(this.#failure)
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reported an error',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
}

/** Throws `file_unwritable` for an error of the file system, and any other error as it is. By default, names the file of the error. */
export function failedWriting(error: unknown, file?: string): never {
  if (error instanceof DocsearchError || !(error instanceof Error) || error.name === 'AbortError') throw error
  const { code = '', path, message } = error as NodeJS.ErrnoException
  if (code === '') throw error
  throw new DocsearchError('file_unwritable', `Cannot write ${file ?? path ?? 'the backup'}: ${REASONS[code] ?? message}.`, {
    cause: error,
  })
}
