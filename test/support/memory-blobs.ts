import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { blobMissing, SWEEP_GRACE_MS } from '../../src/blobs/blobs.ts'
import type { Blobs } from '../../src/blobs/blobs.ts'
import { compareWithHash, type ExpectedBytes, type OnRead } from '../../src/blobs/verify.ts'
import type { Clock } from '../../src/core/clock.ts'
import type { OriginalDamage } from '../../src/core/model.ts'

/** Originals in memory. The folder has only what must be a local file: incoming bodies, and the files of `withFile`. */
export async function openMemoryBlobs({ folder, clock }: { folder: string; clock: Clock }): Promise<Blobs> {
  const incoming = join(folder, 'incoming')
  await mkdir(incoming, { recursive: true })
  return new MemoryBlobs(incoming, folder, clock)
}

class MemoryBlobs implements Blobs {
  readonly incoming: string
  private readonly folder: string
  private readonly clock: Clock
  private readonly originals = new Map<string, { bytes: Buffer; storedAt: number }>()

  constructor(incoming: string, folder: string, clock: Clock) {
    this.incoming = incoming
    this.folder = folder
    this.clock = clock
  }

  async put(file: string, sha256: string): Promise<void> {
    const bytes = await readFile(file)
    await rm(file)
    this.originals.set(sha256, { bytes, storedAt: this.clock.now().getTime() })
  }

  async withFile<T>(sha256: string, work: (path: string) => Promise<T>): Promise<T> {
    const path = join(this.folder, randomUUID())
    await writeFile(path, this.bytesOf(sha256))
    try {
      return await work(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  async open(sha256: string, range?: { start: number; end: number }): Promise<Readable> {
    const bytes = this.bytesOf(sha256)
    return Readable.from([range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)])
  }

  async size(sha256: string): Promise<number> {
    return this.bytesOf(sha256).length
  }

  async verify(expected: ExpectedBytes, onRead?: OnRead): Promise<OriginalDamage | null> {
    const original = this.originals.get(expected.sha256)
    return original === undefined ? 'missing' : compareWithHash(Readable.from([original.bytes]), expected, onRead)
  }

  async sweep(isReferenced: (sha256: string) => Promise<boolean>): Promise<number> {
    let deleted = 0
    for (const [sha256, original] of this.originals) {
      if (this.isRecent(original.storedAt) || (await isReferenced(sha256))) continue
      // The same bytes may have been stored again during the call of `isReferenced`.
      if (this.originals.get(sha256) !== original) continue
      this.originals.delete(sha256)
      deleted += 1
    }
    return deleted
  }

  private isRecent(storedAt: number): boolean {
    return this.clock.now().getTime() - storedAt <= SWEEP_GRACE_MS
  }

  private bytesOf(sha256: string): Buffer {
    const original = this.originals.get(sha256)
    if (original === undefined) throw blobMissing()
    return original.bytes
  }
}
