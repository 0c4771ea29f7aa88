import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { reasonOf } from '../../../client/file-error.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { cancelled } from '../../exit.ts'
import { createBar } from '../bar.ts'
import type { PlannedFile, Refusal } from './plan.ts'

export interface HashedFile extends PlannedFile {
  sha256: string
}

/** Each file that is being read takes one buffer. */
const PARALLEL_FILES = 4
const BUFFER_BYTES = 256 * 1024

/** Hashes every file, with a progress bar on a terminal. Files that can't be read are in `refused`. */
export async function hashFiles(
  context: Context,
  files: readonly PlannedFile[],
): Promise<{ files: HashedFile[]; refused: Refusal[] }> {
  const hashed: (HashedFile | null)[] = files.map(() => null)
  const refused: Refusal[] = []
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0)
  const bar = createBar(context)
  let next = 0
  let bytesDone = 0
  const show = () => bar.show('Comparing', bytesDone, totalBytes, `${formatBytes(bytesDone)} of ${formatBytes(totalBytes)}`)

  async function worker(): Promise<void> {
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
    for (let i = next++; i < files.length; i = next++) {
      const file = files[i]!
      try {
        hashed[i] = await hashFile(file, buffer, (bytes) => {
          if (context.io.signal.aborted) throw cancelled('Cancelled. Nothing was uploaded.')
          bytesDone += bytes
          show()
        })
      } catch (error) {
        if (context.io.signal.aborted) throw error
        refused.push({ path: file.path, name: file.name, code: 'unreadable', message: reasonOf(error) })
      }
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(PARALLEL_FILES, files.length) }, worker))
  } finally {
    bar.stop()
  }
  return { files: hashed.filter((file) => file !== null), refused }
}

async function hashFile(file: PlannedFile, buffer: Buffer, onRead: (bytes: number) => void): Promise<HashedFile> {
  const hash = createHash('sha256')
  const handle = await open(file.file)
  try {
    let size = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
      onRead(bytesRead)
      if (bytesRead === 0) return { ...file, size, sha256: hash.digest('hex') }
      size += bytesRead
      hash.update(buffer.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}
