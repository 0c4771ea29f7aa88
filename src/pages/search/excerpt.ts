import type { Span } from '../marked.tsx'

/** About four lines of a result, and most that it has where the text has short ones. */
const CHARACTERS = 420
const LINES = 6
/** A passage that is not much longer is shown whole. */
const WHOLE = 620
/** Shown before the first mark, so that it is read in its sentence. */
const LEAD = 90
/** Of these a character takes the room of two, and says as much. */
const WIDE = /[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}]/gu
/** As far as this a cut moves to stand between words. Chinese has no blanks to find. */
const NEAR = 30

/** The part of a passage to show: of those that begin a little before a mark, the one with the most different words of the question in it. */
export function excerptOf(text: string, marks: readonly Span[]): Span {
  const all: Span = [0, text.length]
  if (roomOf(text) <= WHOLE && linesOf(text, all).length <= LINES) return all
  let best = { part: partFrom(text, 0), words: 0, marks: 0 }
  for (const [first] of [[0, 0] as Span, ...marks]) {
    const part = partFrom(text, leadOf(text, first))
    const inside = marks.filter(([from, to]) => from >= part[0] && to <= part[1])
    const words = new Set(inside.map(([from, to]) => text.slice(from, to).toLowerCase())).size
    if (words > best.words || (words === best.words && inside.length > best.marks)) best = { part, words, marks: inside.length }
  }
  return best.part
}

/** Those lines of a part that are not blank. */
export function linesOf(text: string, [from, to]: Span): Span[] {
  return [...text.slice(from, to).matchAll(/[^\n\f]*\S[^\n\f]*/g)].map(({ index, 0: line }): Span => {
    return [from + index, from + index + line.length]
  })
}

/** A little before a mark, and no more than a line before its own. */
function leadOf(text: string, first: number): number {
  const before = text.slice(Math.max(0, first - LEAD), first)
  return first - before.split('\n').slice(-2).join('\n').length
}

function partFrom(text: string, at: number): Span {
  const start = startNear(text, at)
  const rest = text.slice(start, start + CHARACTERS)
  const end = endNear(text, start + Math.round((rest.length * rest.length) / Math.max(1, roomOf(rest))))
  return [start, linesOf(text, [start, end])[LINES - 1]?.[1] ?? end]
}

function roomOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0)
}

/** The beginning of the line or the word that stands there. */
function startNear(text: string, at: number): number {
  if (at === 0) return 0
  const before = text.slice(Math.max(0, at - LEAD), at)
  const line = before.lastIndexOf('\n')
  if (line >= 0) return at - before.length + line + 1
  const blank = /\s\S*$/.exec(before.slice(-NEAR))
  return blank === null ? whole(text, at) : at - blank[0].length + 1
}

function endNear(text: string, at: number): number {
  if (at === text.length) return at
  const blank = /^\S*(?=\s)/.exec(text.slice(at, at + NEAR))
  return blank === null ? whole(text, at) : at + blank[0].length
}

/** Not between the halves of a surrogate pair. */
function whole(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') ? at - 1 : at
}
