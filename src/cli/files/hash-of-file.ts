import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

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
