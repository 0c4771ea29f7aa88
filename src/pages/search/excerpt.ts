import type { Span } from '../marked.tsx'

/** An excerpt has about four lines, and at most six if they are short. */
const MAX_CHARACTERS = 420
const MAX_LINES = 6
/** A passage that is only a little longer than an excerpt is shown whole. */
const MAX_WHOLE = 620
/** Characters shown before the first mark, so that the reader sees the sentence around it. */
const LEAD = 90
/** Characters of these scripts are twice as wide, and say as much as two others. */
const WIDE = /[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}]/gu
/** How far a cut moves to fall between words. Chinese has no blanks to find. */
const MAX_MOVE = 30

/** Returns the part of a passage to show. Each candidate begins a little before a mark; the one with the most different query words wins. */
export function excerptOf(text: string, marks: readonly Span[]): Span {
  const all: Span = [0, text.length]
  if (roomOf(text) <= MAX_WHOLE && linesOf(text, all).length <= MAX_LINES) return all
  let best = { part: partFrom(text, 0), words: 0, marks: 0 }
  for (const [first] of [[0, 0] as Span, ...marks]) {
    const part = partFrom(text, leadOf(text, first))
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

function partFrom(text: string, at: number): Span {
  const start = startNear(text, at)
  const rest = text.slice(start, start + MAX_CHARACTERS)
  const end = endNear(text, start + Math.round((rest.length * rest.length) / Math.max(1, roomOf(rest))))
  return [start, linesOf(text, [start, end])[MAX_LINES - 1]?.[1] ?? end]
}

function roomOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0)
}

/** Returns the beginning of the line or the word at the offset. */
function startNear(text: string, at: number): number {
  if (at === 0) return 0
  const before = text.slice(Math.max(0, at - LEAD), at)
  const line = before.lastIndexOf('\n')
  if (line >= 0) return at - before.length + line + 1
  const blank = /\s\S*$/.exec(before.slice(-MAX_MOVE))
  return blank === null ? whole(text, at) : at - blank[0].length + 1
}

function endNear(text: string, at: number): number {
  if (at === text.length) return at
  const blank = /^\S*(?=\s)/.exec(text.slice(at, at + MAX_MOVE))
  return blank === null ? whole(text, at) : at + blank[0].length
}

/** Moves an offset out of a surrogate pair. */
function whole(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') ? at - 1 : at
}
