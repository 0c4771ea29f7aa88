import { foldName } from '../../core/fold-name.ts'
import { hashOf } from './bytes.ts'

/** A line of text. A longer title is a sentence or a paragraph that a program took for the title. */
const MAX_LINE_CHARS = 100
/** The key of every title that is longer than a line. */
export const LONG_TITLE = 0

const EXTENSION = /(?<=.)\.[\p{L}\p{N}]{1,8}$/u

/** Returns a folded name without its extension. */
export function stemOf(foldedName: string): string {
  return foldedName.replace(EXTENSION, '')
}

/** Returns a hash that is equal for names that differ only in letter case and extension. */
export function nameHashOf(name: string): number {
  return hashOf(Buffer.from(stemOf(foldName(name))))
}

/** Returns a number that is equal for titles that differ only in letter case and blanks. Different titles seldom have the same number. */
export function titleKeyOf(title: string): number {
  const line = title.replace(/\s+/g, ' ').trim()
  if (line.length > MAX_LINE_CHARS) return LONG_TITLE
  return Math.max(LONG_TITLE + 1, hashOf(Buffer.from(foldName(line))))
}
