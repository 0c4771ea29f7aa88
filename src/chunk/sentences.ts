import { trim } from './spans.ts'

export interface Piece {
  start: number
  end: number
  tokens: number
}

type CountTokens = (text: string) => number

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })
/** The segmenter gets no more than this at once: its time on one string grows faster than the string. */
const SEGMENT_CHARS = 50_000

/**
 * The sentences of a span, trimmed and counted. A line break within a paragraph ends no sentence; within code every line
 * stands for itself.
 */
export function sentencesOf(text: string, start: number, end: number, code: boolean, countTokens: CountTokens): Piece[] {
  const pieces: Piece[] = []
  const add = (from: number, to: number): void => {
    const trimmed = trim(text, from, to)
    if (trimmed !== null) pieces.push({ ...trimmed, tokens: countTokens(text.slice(trimmed.start, trimmed.end)) })
  }
  if (code) {
    for (let from = start; from < end;) {
      const newline = text.indexOf('\n', from)
      const to = newline < 0 || newline >= end ? end : newline + 1
      add(from, to)
      from = to
    }
    return pieces
  }
  for (let from = start; from < end;) {
    const to = windowEnd(text, from, end)
    const window = text.slice(from, to).replaceAll('\n', ' ')
    for (const { index, segment } of segmenter.segment(window)) add(from + index, from + index + segment.length)
    from = to
  }
  return pieces
}

/** A place to part a very long span: after a sentence's end if there is one, else at a blank, else between two characters. */
function windowEnd(text: string, from: number, end: number): number {
  if (end - from <= SEGMENT_CHARS) return end
  const limit = from + SEGMENT_CHARS
  const tail = text.slice(limit - SEGMENT_CHARS / 5, limit)
  const stop = Math.max(tail.lastIndexOf('. '), tail.lastIndexOf('.\n'), tail.lastIndexOf('。'))
  if (stop >= 0) return limit - tail.length + stop + 1
  return boundary(text, limit, from)
}

/**
 * Cuts a sentence that is longer than a passage may be: at a line's end or a blank where there is one in the last third,
 * never within a character.
 */
export function cutLong(text: string, piece: Piece, maxTokens: number, countTokens: CountTokens): Piece[] {
  const pieces: Piece[] = []
  let at = piece.start
  let perToken = Math.max(1, (piece.end - piece.start) / Math.max(piece.tokens, 1))
  while (at < piece.end) {
    let length = Math.min(piece.end - at, Math.max(1, Math.floor(maxTokens * perToken)))
    let cut = at + length
    let tokens = 0
    for (;;) {
      cut = at + length >= piece.end ? piece.end : boundary(text, at + length, at)
      tokens = countTokens(text.slice(at, cut))
      if (tokens <= maxTokens || length <= 1) break
      length = Math.max(1, Math.min(length - 1, Math.floor((length * maxTokens * 0.95) / tokens)))
      // Where the text is denser here, it is likely to go on like that.
      perToken = length / maxTokens
    }
    const trimmed = trim(text, at, cut)
    if (trimmed !== null) pieces.push({ ...trimmed, tokens })
    at = cut
  }
  return pieces
}

/** The best place to cut at or before `limit`, after `from`. */
function boundary(text: string, limit: number, from: number): number {
  const least = from + Math.floor(((limit - from) * 2) / 3)
  const tail = text.slice(least, limit)
  const newline = tail.lastIndexOf('\n')
  if (newline >= 0) return least + newline + 1
  for (let i = tail.length - 1; i >= 0; i--) if (/\s/.test(tail.charAt(i))) return least + i + 1
  // No blank: between two characters, combining marks included, but always further than `from`.
  let cut = limit
  while (cut > from + 1 && joinsBefore(text, cut)) cut--
  if (!joinsBefore(text, cut)) return cut
  // One character longer than all there is room for.
  cut = limit
  while (isLowSurrogate(text, cut)) cut++
  return cut
}

function joinsBefore(text: string, at: number): boolean {
  return isLowSurrogate(text, at) || /^[\p{M}\u200D]/u.test(text.slice(at, at + 2))
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000 && text.charCodeAt(at - 1) >= 0xd800 && text.charCodeAt(at - 1) < 0xdc00
}
