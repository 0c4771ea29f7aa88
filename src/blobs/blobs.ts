import type { Readable } from 'node:stream'

/** Originals by their hash. What `put` returned is on the disk, synced, whatever happens next. */
export interface Blobs {
  /**
   * Where request bodies are streamed to before their hash is known. Same file system as the originals, so that `adopt` is a rename.
   * Emptied at start.
   */
  readonly incoming: string
  /** Takes over a file that lies in `incoming`: fsync, rename to its hash, fsync of the folder. The same bytes twice are one file. */
  adopt(file: string, sha256: string): Promise<void>
  /** Path of an original, for a parser or a range of it. Throws DocsearchError `blob_missing`. */
  path(sha256: string): Promise<string>
  open(sha256: string, range?: { start: number; end: number }): Promise<Readable>
  size(sha256: string): Promise<number>
  /** Deletes originals that `isReferenced` denies, except any adopted within the last minutes. Returns how many. */
  sweep(isReferenced: (sha256: string) => Promise<boolean>): Promise<number>
}
