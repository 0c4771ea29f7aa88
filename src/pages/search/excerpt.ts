import type { Span } from '../marked.tsx'

/** About four lines of a result. */
const CHARACTERS = 420
/** A passage that is not much longer is shown whole. */
const WHOLE = 620
/** Shown before the first mark, so that it is read in its sentence. */
const LEAD = 90
/** As far as this a cut moves to stand between words. Chinese has no blanks to find. */
const NEAR = 30

/** The part of a passage to show: of those that begin a little before a mark, the one with the most different words of the question in it. */
export function excerptOf(text: string, marks: readonly Span[]): Span {
  if (text.length <= WHOLE) return [0, text.length]
  let best = { start: 0, words: 0, marks: 0 }
  for (const [first] of marks) {
    const start = Math.max(0, Math.min(first - LEAD, text.length - CHARACTERS))
    const inside = marks.filter(([from, to]) => from >= start && to <= start + CHARACTERS)
    const words = new Set(inside.map(([from, to]) => text.slice(from, to).toLowerCase())).size
    if (words > best.words || (words === best.words && inside.length > best.marks)) best = { start, words, marks: inside.length }
  }
  return [startNear(text, best.start), endNear(text, Math.min(text.length, best.start + CHARACTERS))]
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
