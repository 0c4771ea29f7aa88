import { open } from 'node:fs/promises'

const PIECE_BYTES = 1 << 20

/** True if the bytes occur anywhere in the file. Reads the file in pieces. */
export async function contains(file: string, needle: Buffer): Promise<boolean> {
  const handle = await open(file)
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    let kept = 0
    for (;;) {
      const { bytesRead } = await handle.read(piece, kept, piece.length - kept)
      if (bytesRead === 0) return false
      const filled = kept + bytesRead
      if (piece.subarray(0, filled).includes(needle)) return true
      // The needle may lie across two pieces.
      kept = Math.min(needle.length - 1, filled)
      piece.copyWithin(0, filled - kept, filled)
    }
  } finally {
    await handle.close()
  }
}
