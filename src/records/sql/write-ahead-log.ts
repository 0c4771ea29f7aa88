import { open } from 'node:fs/promises'

// The file format is described in section 4 of https://www.sqlite.org/fileformat2.html

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

/**
 * Reads a write-ahead log as SQLite would. SQLite stops at the first frame with a wrong checksum, because a crash can leave such a frame at the
 * end. Frames of the same run after it mean that the log was damaged later. Returns how many of them SQLite ignores; 0 for a missing log. Call it
 * while nobody writes to the database.
 */
export async function inspectLog(file: string): Promise<{ ignoredFrames: number }> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return { ignoredFrames: 0 }
  try {
    const { size } = await handle.stat()
    const header = Buffer.alloc(HEADER_BYTES)
    if (size < HEADER_BYTES) return { ignoredFrames: 0 }
    await handle.read(header, 0, HEADER_BYTES, 0)
    const pageBytes = header.readUInt32BE(8)
    const frameBytes = FRAME_HEADER_BYTES + pageBytes
    const frames = Math.floor((size - HEADER_BYTES) / Math.max(frameBytes, 512))
    const sums = new Checksums((header.readUInt32BE(0) & 1) === 1)
    sums.add(header.subarray(0, 24))
    // Without its header the whole log is ignored. SQLite writes a new header before the first frame, so this is no crash.
    if ((header.readUInt32BE(0) & 0xfffffffe) >>> 0 !== MAGIC || !sums.are(header.readUInt32BE(24), header.readUInt32BE(28)))
      return { ignoredFrames: Math.max(frames, 1) }
    const salts = header.subarray(16, 24)
    const frame = Buffer.alloc(frameBytes)
    let [isIntact, ignoredFrames, isCommitLost] = [true, 0, false]
    for (let i = 0; i < frames; i++) {
      await handle.read(frame, 0, frameBytes, HEADER_BYTES + i * frameBytes)
      // A frame of an earlier run, which SQLite has copied to the database.
      const isOfRun = frame.subarray(8, 16).equals(salts)
      if (isIntact) {
        sums.add(frame.subarray(0, 8))
        sums.add(frame.subarray(FRAME_HEADER_BYTES))
        if (isOfRun && sums.are(frame.readUInt32BE(16), frame.readUInt32BE(20))) continue
        isIntact = false
        // A crash can leave one broken frame behind the last commit.
        if (!isOfRun) continue
      }
      if (!isOfRun) continue
      ignoredFrames++
      isCommitLost ||= frame.readUInt32BE(4) !== 0
    }
    return { ignoredFrames: isCommitLost ? ignoredFrames : 0 }
  } finally {
    await handle.close()
  }
}

/** The running checksum of a log. */
class Checksums {
  #first = 0
  #second = 0
  readonly #isBigEndian: boolean

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 8) {
      this.#first = (this.#first + this.#word(bytes, at) + this.#second) >>> 0
      this.#second = (this.#second + this.#word(bytes, at + 4) + this.#first) >>> 0
    }
  }

  are(first: number, second: number): boolean {
    return this.#first === first && this.#second === second
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
  }
}
