import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { OriginalDamage } from '../core/model.ts'

const BUFFER_BYTES = 256 * 1024

export interface ExpectedBytes {
  sha256: string
  sizeBytes: number
}

/** Called with the size of each part. May return a promise to slow down the reading. */
export type OnRead = (bytes: number) => void | Promise<void>

/**
 * Reads an original of a data folder and compares it with its hash. Returns null if the original is intact. Throws the system's error if it can't be
 * read.
 */
export async function verifyBlob(dataDir: string, expected: ExpectedBytes, onRead?: OnRead): Promise<OriginalDamage | null> {
  const { sha256 } = expected
  const handle = await open(join(dataDir, 'blobs', sha256.slice(0, 2), sha256.slice(2))).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (handle === null) return 'missing'
  const parts = async function* (): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  }
  try {
    return await compareWithHash(parts(), expected, onRead)
  } finally {
    await handle.close()
  }
}

/** Compares bytes with their hash. Returns null if they match. */
export async function compareWithHash(
  parts: AsyncIterable<Buffer>,
  { sha256, sizeBytes }: ExpectedBytes,
  onRead: OnRead = () => {},
): Promise<OriginalDamage | null> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of parts) {
    size += part.length
    hash.update(part)
    await onRead(part.length)
  }
  if (hash.digest('hex') === sha256) return null
  if (size === 0) return 'empty'
  return size < sizeBytes ? 'cut_off' : 'changed'
}
