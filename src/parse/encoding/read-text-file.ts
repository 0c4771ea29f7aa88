import { readFile, stat } from 'node:fs/promises'
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
