import { canBeTitle } from '../core/headings.ts'
import { MAX_PASSAGE_CHARS, shorten, isInsidePair } from '../core/text-limits.ts'
import { type Span, trim } from './spans.ts'

/** A passage that has reached this share of the target ends at a paragraph instead of taking in part of the next one. */
const FULL_SHARE = 0.5
/** A block of code stays whole up to this multiple of the target, because half a function answers nothing. */
const CODE_FACTOR = 3
const MAX_HEADING_CHARS = 200
/** An opening paragraph of one line is a title up to this length. */
const MAX_OPENING_CHARS = 120
/** A gap of more characters than this costs tokens of its own. */
const FREE_GAP_CHARS = 3

export interface PackerOptions {
  target: number
  maxTokens: number
  countTokens(text: string): number
}

/** Packs the spans of a document into passages, one after the other. */
export class Packer {
  private readonly text: string
  private readonly options: PackerOptions
  private readonly pagesWithText: ReadonlySet<number>
  private readonly finished: Draft[] = []
  private draft: Draft = { pieces: [], tokens: 0 }
  /** The open headings, from the highest level to the lowest. */
  private readonly headings: { level: number; text: string }[] = []
  private path: string[]
  private previous: Span | undefined

  constructor(text: string, spans: readonly Span[], options: PackerOptions) {
    this.text = text
    this.options = options
    this.pagesWithText = new Set(spans.filter((span) => span.kind !== 'heading').map((span) => span.page))
    this.path = openingOf(text, spans)
  }

  add(span: Span): void {
    if (span.isAfterGap === true) {
      if (this.draft.pieces.length > 0) this.finished.push(this.draft)
      this.draft = { pieces: [], tokens: 0, isAfterGap: true }
    }
    const continues = this.previous !== undefined && span.isAfterGap !== true && continuesSentence(this.text, this.previous, span)
    this.previous = span
    const leftPage = this.leavePage(span, continues)
    const section = sectionOf(this.text, span)
    if (section !== null) this.openSection(section, leftPage)
    this.place(span, continues)
  }

  /** Returns all passages. The packer takes no more spans after this. */
  finish(): Draft[] {
    this.close()
    if (this.draft.pieces.length > 0) this.finished.push(this.draft)
    return this.finished
  }

  /**
   * Ends the passage if the span is on another page, because a passage names its page. Only a sentence that the end of the page
   * broke goes on to its own end. A heading at the foot of a page belongs to the next page, but a page with nothing else is a
   * title, and a separate passage.
   */
  private leavePage(span: Span, continues: boolean): boolean {
    const page = this.draft.pieces[0]?.page ?? span.page
    if (page === span.page || continues) return false
    if (this.hasOnlyHeadings() && this.pagesWithText.has(page)) return false
    this.close()
    return true
  }

  private openSection({ level, title }: Section, leftPage: boolean): void {
    const { target } = this.options
    if (!leftPage && !this.hasOnlyHeadings() && this.draft.tokens >= target * TINY_SHARE) this.close()
    while ((this.headings.at(-1)?.level ?? 0) >= level) this.headings.pop()
    if (title !== '') this.headings.push({ level, text: title })
    this.path = this.headings.map((heading) => heading.text)
  }

  private place(span: Span, continues: boolean): void {
    const { target, maxTokens, countTokens } = this.options
    const { start, end, kind } = span
    const block: Piece = { start, end, tokens: countTokens(this.text.slice(start, end)) }
    // The end of a broken sentence may exceed the target, but not the limit.
    const room = continues ? maxTokens : target
    if (block.tokens <= maxTokens && this.fits(block, room)) {
      this.push(block, span)
      return
    }
    const isWholeCode = kind === 'code' && block.tokens <= Math.min(maxTokens, target * CODE_FACTOR)
    const isNextBlock = block.tokens <= target && this.draft.tokens >= target * FULL_SHARE && !continues
    if ((isWholeCode || isNextBlock) && end - start <= MAX_PASSAGE_CHARS) {
      this.makeRoom(block)
      this.push(block, span)
    } else this.placeSentences(span)
  }

  private placeSentences(span: Span): void {
    const { target, maxTokens, countTokens } = this.options
    for (const sentence of sentencesOf(this.text, span.start, span.end, span.kind === 'code', countTokens)) {
      const isLong = sentence.tokens > maxTokens || sentence.end - sentence.start > MAX_PASSAGE_CHARS
      const pieces = isLong ? cutLong(this.text, sentence, { maxTokens, maxChars: MAX_PASSAGE_CHARS }, countTokens) : [sentence]
      for (const piece of pieces) {
        if (this.draft.pieces.length > 0 && !this.fits(piece, target)) this.makeRoom(piece)
        this.push(piece, span)
      }
    }
  }

  /** Returns true if the draft stays within `maxTokens` and `MAX_PASSAGE_CHARS` with this piece added. */
  private fits(piece: Piece, maxTokens: number): boolean {
    return hasRoomFor(this.draft, piece) && this.tokensWith(piece) <= maxTokens
  }

  /** Returns the tokens of the draft with one more piece and the gap before it. */
  private tokensWith(piece: Piece): number {
    const last = this.draft.pieces.at(-1)
    if (last === undefined) return piece.tokens
    const isLongGap = piece.start - last.end > FREE_GAP_CHARS
    const gapTokens = isLongGap ? this.options.countTokens(this.text.slice(last.end, piece.start)) : 0
    return this.draft.tokens + piece.tokens + 1 + gapTokens
  }

  private push(piece: Piece, { page, kind, table }: Span): void {
    this.pushPlaced({ ...piece, page, isHeading: kind === 'heading', path: this.path, table: table ?? null })
  }

  private pushPlaced(piece: PlacedPiece): void {
    this.draft.tokens = this.tokensWith(piece)
    this.draft.pieces.push(piece)
  }

  /** Ends the draft. Headings at its end go to the next one, because a heading belongs to the text below it. */
  private close(): void {
    const { pieces } = this.draft
    const headings: PlacedPiece[] = []
    while (pieces.at(-1)?.isHeading === true && pieces.some((piece) => !piece.isHeading)) headings.unshift(pieces.pop()!)
    if (pieces.length > 0) this.finished.push(this.draft)
    this.draft = { pieces: [], tokens: 0 }
    for (const heading of headings) this.pushPlaced(heading)
  }

  /** Ends the draft so that the piece fits into the next one, even if headings went there. */
  private makeRoom(piece: Piece): void {
    this.close()
    if (this.draft.pieces.length > 0 && !this.fits(piece, this.options.maxTokens)) {
      this.finished.push(this.draft)
      this.draft = { pieces: [], tokens: 0 }
    }
  }

  private hasOnlyHeadings(): boolean {
    return this.draft.pieces.every((piece) => piece.isHeading)
  }
}

/** Returns the title of a text without headings: a short first line of its own. A salutation such as `Dear Sir,` doesn't count. */
function openingOf(text: string, spans: readonly Span[]): string[] {
  const first = spans[0]
  if (first === undefined || spans.length < 2 || first.kind !== 'paragraph' || spans.some((span) => span.kind === 'heading'))
    return []
  const opening = text.slice(first.start, first.end)
  return opening.length <= MAX_OPENING_CHARS && !/\n|:$/.test(opening) && canBeTitle(opening) ? [opening] : []
}

/** True if the end of a page or column broke a sentence, and the span is its second part. */
function continuesSentence(text: string, before: Span, span: Span): boolean {
  return (
    before.page !== span.page &&
    before.kind === span.kind &&
    span.kind !== 'table_row' &&
    !/[.!?:;。！？]["'”’)\]]*$/.test(text.slice(before.end - 8, before.end)) &&
    /^["'“‘(]?\p{Ll}/u.test(text.slice(span.start, span.start + 4))
  )
}

interface Section {
  level: number
  title: string
}

/** Returns the section that begins with a span. A heading names the section; for a block of code, the parser names it. */
function sectionOf(text: string, { kind, level = 1, start, end, section }: Span): Section | null {
  if (kind === 'heading') return { level, title: headingOf(text.slice(start, end)) }
  return section === undefined ? null : { level: section.level, title: headingOf(section.title) }
}

function headingOf(text: string): string {
  return shorten(text.replace(/\s+/g, ' '), MAX_HEADING_CHARS)
}

/** A block or sentence of a passage, with its place in the document. */
interface PlacedPiece extends Piece {
  page: number
  isHeading: boolean
  /** The headings above it. Pieces of one section share the array. */
  path: string[]
  table: number | null
}

/** A passage that is being packed. */
export interface Draft {
  pieces: PlacedPiece[]
  tokens: number
  /** True if text before it is in no passage, so that it must not be joined to the passage before. */
  isAfterGap?: boolean
}

/** Returns true if the draft stays within `MAX_PASSAGE_CHARS` with this piece added, gaps included. */
function hasRoomFor({ pieces }: Draft, piece: Pick<Piece, 'start' | 'end'>): boolean {
  return piece.end - (pieces[0] ?? piece).start <= MAX_PASSAGE_CHARS
}

/** Below this share of the target a passage is tiny: a heading doesn't end it, and it joins the passage before it. */
const TINY_SHARE = 0.2
/** A passage may exceed the target by this factor when it takes in a tiny one. */
const MERGED_SHARE = 1.25

/** Joins each tiny passage at the end of a section to the passage before it, if that one has room and is on the same page. */
export function mergeTiny(drafts: readonly Draft[], target: number, maxTokens: number): Draft[] {
  const merged: Draft[] = []
  for (const draft of drafts) {
    const last = merged.at(-1)
    const sum = (last?.tokens ?? 0) + draft.tokens + 1
    const isTiny = draft.tokens < target * TINY_SHARE
    const hasRoom =
      last !== undefined && hasRoomFor(last, draft.pieces.at(-1)!) && sum <= Math.min(maxTokens, target * MERGED_SHARE)
    if (isTiny && draft.isAfterGap !== true && hasRoom && isSameSection(last, draft)) {
      last.pieces.push(...draft.pieces)
      last.tokens = sum
    } else merged.push(draft)
  }
  return merged
}

function isSameSection(before: Draft, draft: Draft): boolean {
  const path = draft.pieces[0]?.path
  return (
    before.pieces[0]?.page === draft.pieces.at(-1)?.page &&
    before.pieces.at(-1)?.path === path &&
    draft.pieces.at(-1)?.path === path
  )
}

/** Returns the headings of a passage. If it holds several short sections, the section with the most text gives the headings. */
export function mainPath(pieces: readonly PlacedPiece[]): string[] {
  const tokens = new Map<string[], number>()
  let main: string[] = []
  for (const piece of pieces) {
    const sum = (tokens.get(piece.path) ?? 0) + piece.tokens
    tokens.set(piece.path, sum)
    if (sum > (tokens.get(main) ?? 0)) main = piece.path
  }
  return main
}

/** A stretch of the document's text that stays in one passage. */
interface Piece {
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
function sentencesOf(text: string, start: number, end: number, isCode: boolean, countTokens: CountTokens): Piece[] {
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
interface PieceLimits {
  maxTokens: number
  maxChars: number
}

/**
 * Cuts a sentence that is longer than a passage may be. It cuts at the end of a line or at a blank if the last third of the piece
 * has one. It never splits a surrogate pair. It separates a character from its marks only if the marks alone fill a piece.
 */
function cutLong(text: string, piece: Piece, { maxTokens, maxChars }: PieceLimits, countTokens: CountTokens): Piece[] {
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
