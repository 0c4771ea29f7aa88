import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import { translateDiskError } from '../core/disk-errors.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { Blobs } from './blobs.ts'
import type { ExpectedBytes } from './verify.ts'

/** How many originals to copy at once. */
const PARALLEL = 4

export interface CopyOptions {
  from: Pick<Blobs, 'open'>
  to: Pick<Blobs, 'incoming' | 'put' | 'size'>
  signal: AbortSignal
  /** Called for each original that the target has now. `isNew` is false if it had the original before. */
  onCopied: (original: ExpectedBytes, isNew: boolean) => void
}

/**
 * Copies originals to another place. Skips originals that the target already has, so an interrupted copy can continue. Checks the hash of each
 * original that it copies. Returns the hashes of missing or damaged originals. Rejects with the reason of the signal.
 */
export async function copyOriginals(originals: readonly ExpectedBytes[], options: CopyOptions): Promise<string[]> {
  const limit = pLimit(PARALLEL)
  const failed: string[] = []
  const copyNext = async (original: ExpectedBytes) => {
    options.signal.throwIfAborted()
    const outcome = await copyOriginal(original, options)
    if (outcome === 'failed') failed.push(original.sha256)
    else options.onCopied(original, outcome === 'new')
  }
  try {
    await Promise.all(originals.map((original) => limit(copyNext, original)))
  } finally {
    limit.clearQueue()
  }
  return failed.sort()
}

async function copyOriginal(
  { sha256, sizeBytes }: ExpectedBytes,
  { from, to, signal }: CopyOptions,
): Promise<'new' | 'there' | 'failed'> {
  // A store has an original completely or not at all.
  if ((await orMissing(to.size(sha256))) === sizeBytes) return 'there'
  const source = await orMissing(from.open(sha256))
  if (source === null) return 'failed'
  const file = join(to.incoming, randomUUID())
  const hash = createHash('sha256')
  try {
    source.on('data', (bytes: Buffer) => hash.update(bytes))
    await pipeline(source, createWriteStream(file, { mode: 0o600, flags: 'wx' }), { signal })
    if (hash.digest('hex') !== sha256) return 'failed'
    await to.put(file, sha256)
    return 'new'
  } catch (error) {
    throw translateDiskError(error)
  } finally {
    await rm(file, { force: true })
  }
}

async function orMissing<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (isDocsearchError(error, 'blob_missing')) return null
    throw error
  })
}
