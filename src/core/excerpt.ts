/** A part of a text, in UTF-16 code units. */
export type Span = readonly [start: number, end: number]

export interface ExcerptSize {
  characters: number
  lines: number
  /** A passage with at most this many characters is shown whole. */
  whole: number
}

/** For a result on a web page: about three lines. */
const ON_PAGE: ExcerptSize = { characters: 330, lines: 6, whole: 360 }
/** For a further hit of a document on a web page. */
export const ONE_LINE_ON_PAGE: ExcerptSize = { characters: 150, lines: 1, whole: 150 }
/** Characters shown before the first mark, so that the reader sees the sentence around it. */
const LEAD = 90
/** Characters of these scripts are twice as wide, and say as much as two others. */
const WIDE = /[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}]/gu
const LINE_END = /[\n\f]/g
/** How far a cut moves to fall between words. Chinese has no blanks to find. */
const MAX_MOVE = 30

/** Returns the part of a passage to show. Each candidate begins a little before a mark; the one with the most different query words wins. */
export function excerptOf(text: string, marks: readonly Span[], size: ExcerptSize = ON_PAGE): Span {
  const all: Span = [0, text.length]
  const wide = text.match(WIDE)?.length ?? 0
  if (text.length + wide <= size.whole && linesOf(text, all).length <= size.lines) return all
  // Most texts have no wide characters, and then no part has to be searched for them.
  const partAt = (at: number): Span => partFrom(text, at, size, wide > 0)
  let best = { part: partAt(0), words: 0, marks: 0 }
  for (const start of new Set([0, ...marks.map(([first]) => leadOf(text, first))])) {
    const part = partAt(start)
    const inside = marks.filter(([from, to]) => from >= part[0] && to <= part[1])
    const words = new Set(inside.map(([from, to]) => text.slice(from, to).toLowerCase())).size
    if (words > best.words || (words === best.words && inside.length > best.marks)) best = { part, words, marks: inside.length }
  }
  return best.part
}

/** Returns the lines of a part that are not blank. */
export function linesOf(text: string, [from, to]: Span): Span[] {
  return [...text.slice(from, to).matchAll(/[^\n\f]+/g)]
    .filter(({ 0: line }) => line.trim() !== '')
    .map(({ index, 0: line }): Span => [from + index, from + index + line.length])
}

/** Returns an offset a little before a mark, at most one line before the mark's line. */
function leadOf(text: string, first: number): number {
  const before = text.slice(Math.max(0, first - LEAD), first)
  return first - before.split('\n').slice(-2).join('\n').length
}

function partFrom(text: string, at: number, { characters, lines }: ExcerptSize, hasWide: boolean): Span {
  const start = startNear(text, at)
  const rest = text.slice(start, start + characters)
  const room = rest.length + (hasWide ? (rest.match(WIDE)?.length ?? 0) : 0)
  const end = endNear(text, start + Math.round((rest.length * rest.length) / Math.max(1, room)))
  return [start, endOfLine(text, [start, end], lines) ?? end]
}

/** Returns where the line with this number ends, counted from 1 without blank lines; null if the part has fewer lines. */
function endOfLine(text: string, [from, to]: Span, number: number): number | null {
  let left = number
  for (let start = from; start < to;) {
    LINE_END.lastIndex = start
    const end = Math.min(to, LINE_END.exec(text)?.index ?? to)
    if (text.slice(start, end).trim() !== '' && --left === 0) return end
    start = end + 1
  }
  return null
}

/** Returns the beginning of the line or the word at the offset. */
function startNear(text: string, at: number): number {
  if (at === 0) return 0
  const before = text.slice(Math.max(0, at - LEAD), at)
  const line = before.lastIndexOf('\n')
  if (line >= 0) return at - before.length + line + 1
  const blank = /\s\S*$/.exec(before.slice(isWithinWord(text, at) ? 0 : -MAX_MOVE))
  return blank === null ? whole(text, at) : at - blank[0].length + 1
}

function endNear(text: string, at: number): number {
  if (at === text.length) return at
  const blank = /^\S*(?=\s)/.exec(text.slice(at, at + MAX_MOVE))
  return blank === null ? whole(text, at) : at + blank[0].length
}

/** True between two letters or digits of a script that has blanks between words. */
function isWithinWord(text: string, at: number): boolean {
  return (
    /^[\p{L}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1)) &&
    !/[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Thai}]/u.test(text.slice(at - 1, at + 1))
  )
}

/** Moves an offset out of a surrogate pair. */
function whole(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') ? at - 1 : at
}
