/** A figure in a cell of a table. It ends in no comma, unlike a figure in a sentence. */
const NUMBER = /^[([<~≈+−–$€£¥-]*\d(?:[\d.,:/'’]*\d)?\.?[)%\]]*$|^[—–-]+$|^[$€£¥%]$|^n\/?[am]$/i
const BULLET = /^(?:[•◦▪●○‣■□–—*·➢✓-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)])\s+\S/
/** The dots between an entry of a table of contents and its page. */
const LEADERS = /(?:\.{4,}|(?:\. ){4,})\s*[\divxlc-]+$/i
const DIGIT = /\d/
const DASH = /^[—–-]+$/
const CAPTION = /^(?:table|figure|fig\.|exhibit|schedule|tabelle|abbildung|tableau) \S/i
const MAX_ROW_CHARS = 240
const MAX_HEADING_CHARS = 120

/** True for a row of a table: at least two figures, which make up a good part of it. */
export function isRow(text: string): boolean {
  if (text.length > MAX_ROW_CHARS) return false
  if (LEADERS.test(text)) return true
  if (!DIGIT.test(text)) return false
  const tokens = text.split(' ')
  const areNumbers = tokens.map((token) => NUMBER.test(token))
  const withDigit = (_: string, i: number): boolean => areNumbers[i]! && DIGIT.test(tokens[i]!)
  const count = areNumbers.filter(Boolean).length
  if (count < 2 || !tokens.some(withDigit)) return false
  if (count >= tokens.length * 0.3) return true
  // A long label, followed by at least two figures.
  const label = areNumbers.lastIndexOf(false)
  return tokens.filter((token, i) => i > label && DIGIT.test(token)).length >= 2
}

/** Returns the number of figures at the end of a row. A dash stands for an empty cell and counts. */
export function figuresAtEnd(text: string): number {
  const tokens = text.split(' ')
  const label = tokens.findLastIndex((token) => !NUMBER.test(token))
  return tokens.filter((token, i) => i > label && (DIGIT.test(token) || DASH.test(token))).length
}

/** True for a row without words. */
export function isOfFigures(text: string): boolean {
  return text.split(' ').every((token) => NUMBER.test(token))
}

/** True for the first words of a numbered caption. */
export function isCaption(text: string): boolean {
  return CAPTION.test(text)
}

/** True for an entry of a table of contents, which ends in a page number. */
export function isContentsEntry(text: string): boolean {
  return /[^\d.,$]\s\d{1,4}$/.test(text) && text.length <= MAX_HEADING_CHARS + 40
}

export function isListItem(text: string): boolean {
  return BULLET.test(text)
}

export function firstWord(text: string): string {
  const space = text.indexOf(' ')
  return space < 0 ? text : text.slice(0, space)
}

/** True if the text continues the sentence of the line before. */
export function startsLikeContinuation(before: string, text: string): boolean {
  return !/[.!?:;]["'”’)\]]*$/.test(before) && /^["'“‘(]?\p{Ll}/u.test(text)
}
