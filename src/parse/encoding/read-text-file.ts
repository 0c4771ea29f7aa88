import { open, readFile, stat } from 'node:fs/promises'
import { type DecodedText, decodeText } from './decode.ts'
import { tooMuchText } from '../failures.ts'
import type { ParserLimits } from '../parser.ts'

/** Reads and decodes a text file. Throws `too_much_text` without reading a file that is certainly too large. */
export async function readTextFile(file: string, limits: Pick<ParserLimits, 'textBytes'>): Promise<DecodedText> {
  const { size } = await stat(file)
  // No encoding needs more than twice the bytes of UTF-8.
  if (size > limits.textBytes * 2) throw tooMuchText(limits.textBytes)
  return decodeText(await readFile(file))
}

/** The share of the limit that a cut text keeps, because separators of cells make a table longer. */
const KEPT_SHARE = 0.8

/** Reads a text file, and cuts one that is too large for the limit on text at the end of a line. */
export async function readStartOfTextFile(
  file: string,
  { textBytes }: Pick<ParserLimits, 'textBytes'>,
): Promise<DecodedText & { isCut: boolean }> {
  const { size } = await stat(file)
  const decoded = decodeText(await readStart(file, Math.min(size, textBytes * 2)))
  const bytes = Buffer.byteLength(decoded.text)
  if (size <= textBytes * 2 && bytes <= textBytes) return { ...decoded, isCut: false }
  const kept = decoded.text.slice(0, Math.floor((decoded.text.length / bytes) * textBytes * KEPT_SHARE))
  return { ...decoded, text: kept.slice(0, kept.lastIndexOf('\n') + 1), isCut: true }
}

async function readStart(file: string, bytes: number): Promise<Uint8Array> {
  const handle = await open(file)
  try {
    const start = Buffer.alloc(bytes)
    let filled = 0
    while (filled < bytes) {
      const { bytesRead } = await handle.read(start, filled, bytes - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return start.subarray(0, filled)
  } finally {
    await handle.close()
  }
}
