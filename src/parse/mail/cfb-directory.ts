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
export function checkDirectory(directory: Buffer, smallFat: Buffer, fileBytes: number): boolean {
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
