import type { Span } from '../../../core/excerpt.ts'

/** The longest text to look for. */
export const MAX_FIND_CHARACTERS = 200
/** More matches than this help nobody. */
const MAX_MATCHES = 1_000

export interface Matches {
  spans: readonly Span[]
  /** True if there are more. */
  isCut: boolean
}

/** Returns where a text contains words as they were typed: in any letter case, with any white space between them. Takes time in proportion to the text. */
export function findInText(text: string, wanted: string): Matches {
  const words = wanted.slice(0, MAX_FIND_CHARACTERS).trim().split(/\s+/)
  if (words[0] === '') return { spans: [], isCut: false }
  const pattern = new RegExp(words.map(escaped).join(String.raw`\s+`), 'giu')
  const spans: Span[] = []
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (spans.length === MAX_MATCHES) return { spans, isCut: true }
    spans.push([index, index + match.length])
  }
  return { spans, isCut: false }
}

/** Escapes the syntax of regular expressions. */
function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
