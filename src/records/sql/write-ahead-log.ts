import { open, type FileHandle } from 'node:fs/promises'
import { endianness, uptime } from 'node:os'

// The file format is described in section 4 of https://www.sqlite.org/fileformat2.html

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

/** The header of the log's index in `docsearch.db-shm`, which is there twice, and the number of frames that are in the database. */
const INDEX = { bytes: 48, isInitialised: 12, frames: 16, salts: 32, checksum: 40, copied: 96 }

/**
 * Returns how many changed pages SQLite ignores, because the log `FILE-wal` of a database is damaged or cut off. Call it while nobody has the
 * database open.
 */
export async function lostChanges(database: string): Promise<number> {
  const { frames, salts, ignoredFrames } = await inspectLog(`${database}-wal`)
  if (ignoredFrames > 0) return ignoredFrames
  const index = await readIndex(`${database}-shm`)
  if (index === null) return 0
  const kept = salts?.equals(index.salts) === true ? frames : 0
  return Math.max(0, index.frames - Math.max(kept, index.copied))
}

/** Returns how many frames the log had, and how many of them SQLite had copied to the database. Null if the file can't tell. */
async function readIndex(file: string): Promise<{ frames: number; copied: number; salts: Buffer } | null> {
  return withFile(file, null, async (handle) => {
    const { mtimeMs } = await handle.stat()
    // SQLite never syncs this file, so after a crash of the machine, it can be older than the log.
    if (mtimeMs < Date.now() - uptime() * 1000) return null
    const header = Buffer.alloc(INDEX.copied + 4)
    const { bytesRead } = await handle.read(header, 0, header.length, 0)
    const [first, second] = [header.subarray(0, INDEX.bytes), header.subarray(INDEX.bytes, 2 * INDEX.bytes)]
    if (bytesRead < header.length || !first.equals(second) || first[INDEX.isInitialised] !== 1) return null
    const isBigEndian = endianness() === 'BE'
    const number = (at: number) => (isBigEndian ? header.readUInt32BE(at) : header.readUInt32LE(at))
    const sums = new Checksums(isBigEndian)
    sums.add(first.subarray(0, INDEX.checksum))
    if (!sums.are(number(INDEX.checksum), number(INDEX.checksum + 4))) return null
    return { frames: number(INDEX.frames), copied: number(INDEX.copied), salts: first.subarray(INDEX.salts, INDEX.checksum) }
  })
}

/** Returns `missing` if there is no such file. */
async function withFile<T>(file: string, missing: T, read: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return missing
  try {
    return await read(handle)
  } finally {
    await handle.close()
  }
}

interface Log {
  /** The number of frames that SQLite uses. */
  frames: number
  /** Null for a log without a header. */
  salts: Buffer | null
  ignoredFrames: number
}

const EMPTY: Log = { frames: 0, salts: null, ignoredFrames: 0 }

/**
 * Reads a write-ahead log as SQLite would. SQLite stops at the first frame with a wrong checksum, because a crash can leave such a frame at the
 * end. Frames of the same run after it mean that the log was damaged later. `ignoredFrames` is their
 * number.
 */
function inspectLog(file: string): Promise<Log> {
  return withFile(file, EMPTY, async (handle) => {
    const { size } = await handle.stat()
    const header = Buffer.alloc(HEADER_BYTES)
    if (size < HEADER_BYTES) return EMPTY
    await handle.read(header, 0, HEADER_BYTES, 0)
    const pageBytes = header.readUInt32BE(8)
    const frameBytes = FRAME_HEADER_BYTES + pageBytes
    const frames = Math.floor((size - HEADER_BYTES) / Math.max(frameBytes, 512))
    const sums = new Checksums((header.readUInt32BE(0) & 1) === 1)
    sums.add(header.subarray(0, 24))
    // Without its header the whole log is ignored. SQLite writes a new header before the first frame, so this is no crash.
    if ((header.readUInt32BE(0) & 0xfffffffe) >>> 0 !== MAGIC || !sums.are(header.readUInt32BE(24), header.readUInt32BE(28)))
      return { ...EMPTY, ignoredFrames: Math.max(frames, 1) }
    const salts = header.subarray(16, 24)
    let intactFrames = 0
    const frame = Buffer.alloc(frameBytes)
    let [isIntact, ignoredFrames, isCommitLost] = [true, 0, false]
    for (let i = 0; i < frames; i++) {
      await handle.read(frame, 0, frameBytes, HEADER_BYTES + i * frameBytes)
      // A frame of an earlier run, which SQLite has copied to the database.
      const isOfRun = frame.subarray(8, 16).equals(salts)
      if (isIntact) {
        sums.add(frame.subarray(0, 8))
        sums.add(frame.subarray(FRAME_HEADER_BYTES))
        if (isOfRun && sums.are(frame.readUInt32BE(16), frame.readUInt32BE(20))) {
          intactFrames++
          continue
        }
        isIntact = false
        // A crash can leave one broken frame behind the last commit.
        if (!isOfRun) continue
      }
      if (!isOfRun) continue
      ignoredFrames++
      isCommitLost ||= frame.readUInt32BE(4) !== 0
    }
    return { frames: intactFrames, salts, ignoredFrames: isCommitLost ? ignoredFrames : 0 }
  })
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
