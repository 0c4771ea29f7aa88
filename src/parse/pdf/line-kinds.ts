/** A figure as it stands in a cell: nothing but figures, so no comma after it. */
const NUMBER = /^[([<~≈+−–$€£¥-]*\d(?:[\d.,:/'’]*\d)?\.?[)%\]]*$|^[—–-]+$|^[$€£¥%]$|^n\/?[am]$/i
const BULLET = /^(?:[•◦▪●○‣■□–—*·➢✓-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)])\s+\S/
/** Dots that lead from an entry of a table of contents to its page. */
const LEADERS = /(?:\.{4,}|(?:\. ){4,})\s*[\divxlc-]+$/i
const DIGIT = /\d/
const MAX_ROW = 240
const MAX_HEADING = 120

/** A line of a table: two figures or more, and they are a good part of it. */
export function isRow(text: string): boolean {
  if (text.length > MAX_ROW) return false
  if (LEADERS.test(text)) return true
  if (!DIGIT.test(text)) return false
  const tokens = text.split(' ')
  const areNumbers = tokens.map((token) => NUMBER.test(token))
  const withDigit = (_: string, i: number): boolean => areNumbers[i]! && DIGIT.test(tokens[i]!)
  const count = areNumbers.filter(Boolean).length
  if (count < 2 || !tokens.some(withDigit)) return false
  if (count >= tokens.length * 0.3) return true
  // A long label, then the figures of its columns.
  const label = areNumbers.lastIndexOf(false)
  return tokens.filter((token, i) => i > label && DIGIT.test(token)).length >= 2
}

/** A line of a table of contents: it ends in the number of a page. */
export function isContentsEntry(text: string): boolean {
  return /[^\d.,$]\s\d{1,4}$/.test(text) && text.length <= MAX_HEADING + 40
}

export function isListItem(text: string): boolean {
  return BULLET.test(text)
}

export function firstWord(text: string): string {
  const space = text.indexOf(' ')
  return space < 0 ? text : text.slice(0, space)
}

/** A line in the middle of a sentence. */
export function startsLikeContinuation(before: string, text: string): boolean {
  return !/[.!?:;]["'”’)\]]*$/.test(before) && /^["'“‘(]?\p{Ll}/u.test(text)
}

/** Short, with letters, and no sentence. */
export function isHeadingLike(text: string): boolean {
  return (
    text.length <= MAX_HEADING &&
    /\p{L}{2}/u.test(text) &&
    !/[.,;]$/.test(text) &&
    /^[\p{Lu}\p{Lo}\p{N}"“(§]/u.test(text) &&
    !isRow(text)
  )
}
