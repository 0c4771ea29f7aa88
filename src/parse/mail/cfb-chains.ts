import { corrupt } from '../failures.ts'

const HEADER_BYTES = 512
const FAT_SECTORS_IN_HEADER = 109
/** This number and all greater ones mark the end of a chain, or a sector without one. */
const NO_SECTOR = 0xfffffffa

/**
 * Checks the container of an Outlook file (MS-CFB): every chain of sectors must end, no two chains may meet, and the directory must be a
 * tree. Otherwise the reader could follow a circle forever. Throws `corrupt`.
 */
export function checkChains(bytes: Buffer): void {
  if (bytes.length < HEADER_BYTES) throw damaged()
  const sectorBytes = 1 << bytes.readUInt16LE(30)
  if (sectorBytes !== 512 && sectorBytes !== 4096) throw damaged()
  const next = readFat(bytes, sectorBytes)
  const hasPredecessor = new Uint8Array(next.length)
  for (const target of next) {
    if (target >= NO_SECTOR) continue
    if (target >= next.length || hasPredecessor[target] === 1) throw damaged()
    hasPredecessor[target] = 1
  }
  checkForCircles(next, hasPredecessor)
  const chain = (first: number): Buffer => chainOf(bytes, sectorBytes, next, first)
  if (!checkDirectory(chain(bytes.readUInt32LE(48)), chain(bytes.readUInt32LE(60)), bytes.length)) throw damaged()
}

/** Returns the bytes of the sectors of a chain that ends. */
function chainOf(bytes: Buffer, sectorBytes: number, next: Uint32Array, first: number): Buffer {
  const sectors: Buffer[] = []
  for (let at = first; at < next.length; at = next[at]!)
    sectors.push(bytes.subarray((at + 1) * sectorBytes, (at + 2) * sectorBytes))
  return Buffer.concat(sectors)
}

/** Returns the next sector of each sector. */
function readFat(bytes: Buffer, sectorBytes: number): Uint32Array {
  const entries = sectorBytes / 4
  const sectors = Math.floor(bytes.length / sectorBytes)
  const fatSectors: number[] = []
  for (let i = 0; i < FAT_SECTORS_IN_HEADER; i++) fatSectors.push(bytes.readUInt32LE(76 + 4 * i))
  let more = bytes.readUInt32LE(68)
  for (let count = 0; more < NO_SECTOR && count <= sectors; count++) {
    const at = (more + 1) * sectorBytes
    if (at + sectorBytes > bytes.length) throw damaged()
    for (let i = 0; i < entries - 1; i++) fatSectors.push(bytes.readUInt32LE(at + 4 * i))
    more = bytes.readUInt32LE(at + sectorBytes - 4)
    if (count === sectors) throw damaged()
  }
  const next: number[] = []
  for (const sector of fatSectors) {
    const at = (sector + 1) * sectorBytes
    if (sector >= NO_SECTOR || at + sectorBytes > bytes.length) continue
    for (let i = 0; i < entries; i++) next.push(bytes.readUInt32LE(at + 4 * i))
  }
  return Uint32Array.from(next.slice(0, sectors + 1))
}

/** No two sectors lead to the same one. So a sector that no beginning of a chain reaches is in a circle. */
function checkForCircles(next: Uint32Array, hasPredecessor: Uint8Array): void {
  const seen = new Uint8Array(next.length)
  for (let first = 0; first < next.length; first++) {
    if (hasPredecessor[first] === 1) continue
    for (let at = first; at < next.length && seen[at] === 0; at = next[at]!) seen[at] = 1
  }
  if (seen.includes(0)) throw damaged()
}

function damaged(): Error {
  return corrupt('The Outlook message')
}

const ENTRY_BYTES = 128
/** Types of entries. */
const [UNUSED, STREAM, ROOT] = [0, 2, 5]
/** Offsets in an entry at which it names its neighbours in its folder, and the first entry inside it. */
const [PREVIOUS, NEXT, CHILD] = [68, 72, 76]
/** A container stores smaller streams in small sectors, which have their own chains. */
const MIN_LARGE_BYTES = 4096
const SMALL_SECTOR_BYTES = 64
/** Programs may leave a few more sectors in a chain than its stream needs. */
const MAX_SMALL_SECTORS = (2 * MIN_LARGE_BYTES) / SMALL_SECTOR_BYTES
/** This number and all greater ones name neither an entry nor a sector. */
const NONE = 0xfffffffa

/**
 * Returns whether the directory of a container (MS-CFB) is intact: it is a tree, its streams together are no larger than the file can hold,
 * and the chains of small sectors end.
 * @param directory The bytes of its entries.
 * @param smallFat The next small sector of each small sector.
 */
function checkDirectory(directory: Buffer, smallFat: Buffer, fileBytes: number): boolean {
  const count = Math.floor(directory.length / ENTRY_BYTES)
  const isNamed = new Uint8Array(count)
  let streamBytes = 0
  for (let entry = 0; entry < count; entry++) {
    const at = entry * ENTRY_BYTES
    const type = directory[at + 66]
    if (type === UNUSED) continue
    for (const link of type === STREAM ? [PREVIOUS, NEXT] : type === ROOT ? [CHILD] : [PREVIOUS, NEXT, CHILD]) {
      const other = directory.readUInt32LE(at + link)
      if (other >= NONE) continue
      // A circle that begins at the root needs the root, or an entry that two other entries name.
      if (other === 0 || other >= count || isNamed[other] === 1) return false
      isNamed[other] = 1
    }
    if (type !== STREAM) continue
    const bytes = directory.readUInt32LE(at + 120)
    streamBytes += bytes
    if (streamBytes > 2 * fileBytes) return false
    if (bytes > 0 && bytes < MIN_LARGE_BYTES && !ends(smallFat, directory.readUInt32LE(at + 116))) return false
  }
  return true
}

function ends(smallFat: Buffer, first: number): boolean {
  let at = first
  for (let steps = 0; steps <= MAX_SMALL_SECTORS; steps++) {
    if (at >= NONE || 4 * at + 4 > smallFat.length) return true
    at = smallFat.readUInt32LE(4 * at)
  }
  return false
}
