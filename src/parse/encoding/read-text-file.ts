import { readFile, stat } from 'node:fs/promises'
import { type DecodedText, decodeText } from './decode.ts'
import { tooMuchText } from '../failures.ts'
import type { ParserLimits } from '../parser.ts'

/** A file that is text from end to end, decoded. Throws `too_much_text` before reading one that cannot fit. */
export async function readTextFile(file: string, limits: Pick<ParserLimits, 'textBytes'>): Promise<DecodedText> {
  const { size } = await stat(file)
  // No encoding takes more than two bytes where UTF-8 takes one.
  if (size > limits.textBytes * 2) throw tooMuchText(limits.textBytes)
  return decodeText(await readFile(file))
}
