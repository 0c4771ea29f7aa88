import type { Readable } from 'node:stream'
import { DocsearchError } from '../core/errors.ts'
import type { OriginalDamage } from '../core/model.ts'
import type { ExpectedBytes, OnRead } from './verify.ts'

/**
 * An original is stored before the row of its document is committed. A sweep therefore keeps originals younger than this, even
 * when no document refers to them yet. The attachments of a message wait for the last one of up to 1,000.
 */
export const SWEEP_GRACE_MS = 45 * 60_000

/** The files that users uploaded ("originals"), each stored once under the SHA-256 of its bytes, in hex. */
export interface Blobs {
  /** A local folder of this process that receives request bodies while their hash is not known yet. It is emptied when the store is opened. */
  readonly incoming: string
  /**
   * Takes a file out of `incoming` and stores it. Once this returns, the bytes survive a power cut, and every process can read them. Storing the same bytes again
   * is allowed, also at the same time.
   */
  put(file: string, sha256: string): Promise<void>
  /**
   * Calls `work` with the path of a local file that holds the original, for reading only. The path is valid until `work` ends. Throws
   * `blob_missing`.
   */
  withFile<T>(sha256: string, work: (path: string) => Promise<T>): Promise<T>
  /** Reads an original, or the range from byte `start` to byte `end`, both included. Throws `blob_missing`. */
  open(sha256: string, range?: { start: number; end: number }): Promise<Readable>
  /** Returns the number of bytes. Throws `blob_missing`. */
  size(sha256: string): Promise<number>
  /**
   * Reads an original and compares it with its hash. Returns null if it is intact. Throws if the bytes can't be read now; they may still be intact.
   */
  verify(expected: ExpectedBytes, onRead?: OnRead): Promise<OriginalDamage | null>
  /** Deletes the originals that no document refers to (see `SWEEP_GRACE_MS`). Returns how many it deleted. */
  sweep(isReferenced: (sha256: string) => Promise<boolean>): Promise<number>
}

export function blobMissing(cause?: unknown): DocsearchError {
  return new DocsearchError(
    'blob_missing',
    'The original file of this document is missing from the data folder. Upload it again.',
    {
      cause,
    },
  )
}
