import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { OriginalDamage } from '../core/model.ts'

const BUFFER_BYTES = 256 * 1024

/**
 * Reads an original and compares it with its hash. Returns null if it is whole. `onRead` is called with the size of each part, and may return a
 * promise to slow the reading down. Throws what the system says when it refuses to read.
 */
export async function verifyBlob(
  dataDir: string,
  { sha256, sizeBytes }: { sha256: string; sizeBytes: number },
  onRead: (bytes: number) => void | Promise<void> = () => {},
): Promise<OriginalDamage | null> {
  const handle = await open(join(dataDir, 'blobs', sha256.slice(0, 2), sha256.slice(2))).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (handle === null) return 'missing'
  try {
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
    let size = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) break
      size += bytesRead
      hash.update(buffer.subarray(0, bytesRead))
      await onRead(bytesRead)
    }
    if (hash.digest('hex') === sha256) return null
    if (size === 0) return 'empty'
    return size < sizeBytes ? 'cut_off' : 'changed'
  } finally {
    await handle.close()
  }
}
