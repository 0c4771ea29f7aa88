/** A figure in a cell of a table. It ends in no comma, unlike a figure in a sentence. */
const NUMBER = /^[([<~≈+−–$€£¥-]*\d(?:[\d.,:/'’]*\d)?\.?[)%\]]*$|^[—–-]+$|^[$€£¥%()[\]]+$|^n\/?[am]$/i
const BULLET = /^(?:[•◦▪●○‣■□–—*·➢✓-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)])\s+\S/
/** The dots between an entry of a table of contents and its page. */
const LEADERS = /(?:\.{4,}|(?:\. ){4,})\s*[\divxlc-]+$/i
/** The dots between a label and its figures. */
const DOTS = / ?(?:\.{4,}|(?:\. ?){4,}|…{2,})/g
/** A reference to a footnote: a small letter or a figure in brackets. */
const REFERENCE = /\s*\((?:[a-z]|\d)\)(?=\s|$)/g
/** A unit behind the last figure of a row. */
const UNIT = /(?<=\d\)?)\s*(?:pts?|bps|x|h|min|[km]?[gmlW]|years?)\.?$/i
/** Years or dates with the words around them, which are heads of columns of figures. */
const YEARS = /^(?:\D*(?:\d{1,2},? |\d{1,2}[/.-]\d{1,2}[/.-])?(?:19|20)\d\d)+\D*$/
const COMPARED_YEARS = /(?<!\d)\d\d vs\.? \d\d(?!\d)/g
const MAX_YEARS_CHARS = 120
const FULL_STOP = /[.;!?。；！？]["'”’)\]]*$/
const MAX_WORDS_BEFORE_STOP = 4
const DIGIT = /\d/
const DASH = /^[—–-]+$/
const CAPTION = /^(?:table|figure|fig\.|exhibit|schedule|tabelle|abbildung|tableau) \S/i
const MAX_ROW_CHARS = 240
const MAX_HEADING_CHARS = 120

/** True for a row of a table: at least two figures, which make up a good part of it. */
export function isRow(line: string): boolean {
  if (!DIGIT.test(line)) return LEADERS.test(line) && line.length <= MAX_ROW_CHARS
  if (LEADERS.test(line)) return withoutLeaders(line).length <= MAX_ROW_CHARS
  const text = withoutReferences(withoutLeaders(line))
  if (text.length > MAX_ROW_CHARS || isSentence(text)) return false
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

/** True for a label with one figure at its end. Whether it is a row depends on its place. */
export function endsInFigure(line: string): boolean {
  if (line.length > MAX_ROW_CHARS || !DIGIT.test(line.slice(-12)) || isSentence(line)) return false
  const text = withoutReferences(withoutLeaders(line)).replace(UNIT, '')
  const space = text.replace(/ (?:%|\)%?)$/, '').lastIndexOf(' ')
  return space > 0 && NUMBER.test(text.slice(space + 1).split(' ')[0]!) && /\p{L}{2}/u.test(text.slice(0, space))
}

/** True for the years or dates above columns, with the words around them. */
export function isYears(line: string): boolean {
  if (line.length > MAX_YEARS_CHARS || /(?:^| )[—–$€£¥](?: |$)/.test(line)) return false
  return YEARS.test(withoutReferences(line).replace(COMPARED_YEARS, '2000'))
}

/** True for a sentence or the end of one: it ends in a full stop, and has several words or the commas of an enumeration. */
export function isSentence(text: string): boolean {
  if (!FULL_STOP.test(text)) return false
  return (
    /^\p{Ll}|, | ,|[，。；！？]/u.test(text) ||
    text.split(' ').filter((word) => /\p{L}{2}/u.test(word)).length > MAX_WORDS_BEFORE_STOP
  )
}

/** True for a line that begins with a reference to a footnote. */
export function beginsWithReference(text: string): boolean {
  return /^\((?:[a-z]|\d\d?)\)/.test(text)
}

/** Returns the line without the dots between a label and its figures. */
export function withoutLeaders(text: string): string {
  return text.includes('..') || text.includes('. .') || text.includes('……') ? text.replace(DOTS, ' ').replaceAll('  ', ' ') : text
}

function withoutReferences(text: string): string {
  return text.includes('(') ? text.replace(REFERENCE, '').trim() : text
}

/** Returns the number of figures at the end of a row. A dash stands for an empty cell and counts. */
export function figuresAtEnd(line: string): number {
  const tokens = withoutReferences(line).split(' ')
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
