import { isInsidePair } from '../core/text-limits.ts'
import { trim } from './spans.ts'

/** A stretch of the document's text that stays in one passage. */
export interface Piece {
  start: number
  end: number
  tokens: number
}

type CountTokens = (text: string) => number

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })
/** The segmenter gets at most this much at once, because its time grows faster than the length of the string. */
const MAX_SEGMENT_CHARS = 50_000

/**
 * Returns the sentences of a span, trimmed and counted. A line break doesn't end a sentence of a paragraph, but each line of code
 * counts as a sentence.
 */
export function sentencesOf(text: string, start: number, end: number, isCode: boolean, countTokens: CountTokens): Piece[] {
  const pieces: Piece[] = []
  const add = (from: number, to: number): void => {
    const trimmed = trim(text, from, to)
    if (trimmed !== null) pieces.push({ ...trimmed, tokens: countTokens(text.slice(trimmed.start, trimmed.end)) })
  }
  if (isCode) {
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

/** Returns where to cut a very long span: after the end of a sentence if there is one, else at a blank, else between two characters. */
function windowEnd(text: string, from: number, end: number): number {
  if (end - from <= MAX_SEGMENT_CHARS) return end
  const limit = from + MAX_SEGMENT_CHARS
  const tail = text.slice(limit - MAX_SEGMENT_CHARS / 5, limit)
  const stop = Math.max(tail.lastIndexOf('. '), tail.lastIndexOf('.\n'), tail.lastIndexOf('。'))
  if (stop >= 0) return limit - tail.length + stop + 1
  return boundary(text, limit, from)
}

/** The limits of one piece. */
export interface PieceLimits {
  maxTokens: number
  maxChars: number
}

/**
 * Cuts a sentence that is longer than a passage may be. It cuts at the end of a line or at a blank if the last third of the piece
 * has one. It never splits a surrogate pair. It separates a character from its marks only if the marks alone fill a piece.
 */
export function cutLong(text: string, piece: Piece, { maxTokens, maxChars }: PieceLimits, countTokens: CountTokens): Piece[] {
  const pieces: Piece[] = []
  let at = piece.start
  let perToken = Math.max(1, (piece.end - piece.start) / Math.max(piece.tokens, 1))
  while (at < piece.end) {
    let length = Math.min(piece.end - at, maxChars, Math.max(1, Math.floor(maxTokens * perToken)))
    let cut = at + length
    let tokens = 0
    for (;;) {
      cut = at + length >= piece.end ? piece.end : boundary(text, at + length, at)
      tokens = countTokens(text.slice(at, cut))
      if (tokens <= maxTokens || length <= 1) break
      length = Math.max(1, Math.min(length - 1, Math.floor((length * maxTokens * 0.95) / tokens)))
      // If this part has more tokens for its length, the next part probably has too.
      perToken = length / maxTokens
    }
    const trimmed = trim(text, at, cut)
    if (trimmed !== null) pieces.push({ ...trimmed, tokens })
    at = cut
  }
  return pieces
}

/**
 * Returns the best place to cut at or before `limit` and after `from`. The cut is after `limit` only if a surrogate pair begins
 * at `from` and does not fit.
 */
function boundary(text: string, limit: number, from: number): number {
  const earliest = from + Math.floor(((limit - from) * 2) / 3)
  const tail = text.slice(earliest, limit)
  const newline = tail.lastIndexOf('\n')
  if (newline >= 0) return earliest + newline + 1
  for (let i = tail.length - 1; i >= 0; i--) if (/\s/.test(tail.charAt(i))) return earliest + i + 1
  // Without a blank, cut between two characters, combining marks included, but always after `from`.
  let cut = limit
  while (cut > from + 1 && joinsPrevious(text, cut)) cut--
  if (!joinsPrevious(text, cut)) return cut
  // A single character with all its marks is too long for the piece.
  if (!isInsidePair(text, limit)) return limit
  return limit - 1 > from ? limit - 1 : limit + 1
}

function joinsPrevious(text: string, at: number): boolean {
  return isInsidePair(text, at) || /^[\p{M}\u200D]/u.test(text.slice(at, at + 2))
}
