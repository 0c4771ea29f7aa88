import type { Chunk } from '../core/chunk.ts'
import type { Page } from '../core/parsed.ts'
import { cutLong, type Piece, sentencesOf } from './sentences.ts'
import { type Span, spansOf } from './spans.ts'

/** Part of the index's fingerprint: raised whenever the same document gives other chunks. */
export const CHUNKER_VERSION = 4

/** About 250 English words: long enough to answer a question, short enough to be about one thing. */
const DEFAULT_TARGET = 320
/** Below this share of the target a passage is tiny: a heading does not end it, and it joins its neighbour. */
const TINY = 0.2
/** From this share on a passage rather ends at a paragraph than takes part of the next. */
const FULL_ENOUGH = 0.5
/** A block of code up to this share of the target stays whole: half a function answers nothing. */
const CODE_ROOM = 3
const MAX_HEADING_CHARS = 200
/** A header row that is longer says too much to be repeated. */
const MAX_CONTEXT_CHARS = 300
/** An opening paragraph of one line up to this long is a title. */
const MAX_OPENING_CHARS = 120

export interface ChunkOptions {
  /** Most tokens a chunk may have. */
  maxTokens: number
  /** In the embedder's tokens; additive up to rounding (the sum over parts is about the count of the whole). */
  countTokens(text: string): number
  /** Tokens a chunk should have; default 320, at most `maxTokens`. */
  targetTokens?: number
}

interface Draft {
  pieces: (Piece & { page: number; heading: boolean; path: string[]; table: number | null })[]
  tokens: number
}

/**
 * Cuts a document into chunks that follow it: headings, paragraphs, lists, rows, sentences, pages. Pure.
 * Chunks are in order, do not overlap, and hold every character that is not blank;
 * `chunk.text === documentText(pages).slice(chunk.charStart, chunk.charEnd)`. A sentence is cut only where it is longer than
 * `maxTokens`.
 */
export function chunkDocument(pages: readonly Page[], options: ChunkOptions): Chunk[] {
  const maxTokens = Math.max(1, options.maxTokens)
  const target = Math.min(options.targetTokens ?? DEFAULT_TARGET, maxTokens)
  const { countTokens } = options
  const { text, spans } = spansOf(pages)
  const withText = new Set(spans.filter((span) => span.kind !== 'heading').map((span) => span.page))
  const drafts: Draft[] = []
  let draft: Draft = { pieces: [], tokens: 0 }
  const headings: { level: number; text: string }[] = []
  let path: string[] = openingOf(text, spans)

  /** Tokens of the draft with one more piece, what lies between them included. */
  const tokensWith = (piece: Piece): number => {
    const last = draft.pieces.at(-1)
    if (last === undefined) return piece.tokens
    const gap = piece.start - last.end
    return draft.tokens + piece.tokens + 1 + (gap > 3 ? countTokens(text.slice(last.end, piece.start)) : 0)
  }
  const add = (piece: Piece, span: Span): void => {
    draft.tokens = tokensWith(piece)
    draft.pieces.push({ ...piece, page: span.page, heading: span.kind === 'heading', path, table: span.table ?? null })
  }
  const close = (): void => {
    const stranded: Draft['pieces'] = []
    // A heading belongs to what follows it.
    while (draft.pieces.at(-1)?.heading === true && draft.pieces.some((piece) => !piece.heading))
      stranded.unshift(draft.pieces.pop()!)
    if (draft.pieces.length > 0) drafts.push(draft)
    draft = { pieces: [], tokens: 0 }
    for (const piece of stranded) {
      draft.tokens = tokensWith(piece)
      draft.pieces.push(piece)
    }
  }
  const addSentences = (pieces: readonly Piece[], span: Span): void => {
    for (const sentence of pieces) {
      for (const piece of sentence.tokens > maxTokens ? cutLong(text, sentence, maxTokens, countTokens) : [sentence]) {
        if (draft.pieces.length > 0 && tokensWith(piece) > target) closeFor(piece)
        add(piece, span)
      }
    }
  }
  /** Ends the draft so that `piece` fits; headings carried over may leave too little room for it. */
  const closeFor = (piece: Piece): void => {
    close()
    if (draft.pieces.length > 0 && tokensWith(piece) > maxTokens) {
      drafts.push(draft)
      draft = { pieces: [], tokens: 0 }
    }
  }

  for (const [index, span] of spans.entries()) {
    const previous = spans[index - 1]
    const block: Piece = { start: span.start, end: span.end, tokens: countTokens(text.slice(span.start, span.end)) }
    const onlyHeadings = draft.pieces.every((piece) => piece.heading)
    const continues = previous !== undefined && continuesSentence(text, previous, span)
    // A passage names its page, so it ends with it, however short; only a sentence that the page's end broke goes on to its own end.
    // A heading at the foot of a page belongs to the next one, but a page of nothing else is a title, and a passage of its own.
    const begun = draft.pieces[0]?.page ?? span.page
    const leavesPage = begun !== span.page && !continues && (!onlyHeadings || !withText.has(begun))
    if (leavesPage) close()

    if (span.kind === 'heading') {
      if (!onlyHeadings && !leavesPage && draft.tokens >= target * TINY) close()
      const level = span.level ?? 1
      while ((headings.at(-1)?.level ?? 0) >= level) headings.pop()
      headings.push({ level, text: shorten(text.slice(span.start, span.end)) })
      path = headings.map((heading) => heading.text)
    }

    // The end of a sentence is taken in as long as there is room at all.
    const room = continues ? maxTokens : target
    if (block.tokens <= maxTokens && tokensWith(block) <= room) add(block, span)
    else if (span.kind === 'code' && block.tokens <= Math.min(maxTokens, target * CODE_ROOM)) {
      closeFor(block)
      add(block, span)
    } else if (block.tokens <= target && draft.tokens >= target * FULL_ENOUGH && !continues) {
      closeFor(block)
      add(block, span)
    } else {
      addSentences(sentencesOf(text, span.start, span.end, span.kind === 'code', countTokens), span)
    }
  }
  close()
  if (draft.pieces.length > 0) drafts.push(draft)
  const headers = tableHeaders()
  let before: number | null = null
  return mergeTiny(drafts, target, maxTokens).map((finished, index) => {
    const { start, table } = finished.pieces[0]!
    const header = table === null ? undefined : headers.get(table)
    const repeated = header !== undefined && header.start < start && finished.tokens + header.tokens <= maxTokens
    const gap = before === null ? '' : text.slice(before, start)
    const chunk = { ...toChunk(text, finished, index), gap, context: repeated ? header.text : '' }
    before = chunk.charEnd
    return chunk
  })

  /** By table, where it has a header row of a length that can be repeated. */
  function tableHeaders(): Map<number, { start: number; text: string; tokens: number }> {
    const headers = new Map<number, { start: number; text: string; tokens: number }>()
    for (const { header, table, start, end } of spans) {
      if (header !== true || table === undefined || headers.has(table)) continue
      const row = text.slice(start, end).replace(/\s+/g, ' ')
      if (row.length <= MAX_CONTEXT_CHARS) headers.set(table, { start, text: row, tokens: countTokens(row) })
    }
    return headers
  }
}

/** A text without any heading that opens with a short line of its own has that for its title; `Dear Sir,` is none. */
function openingOf(text: string, spans: readonly Span[]): string[] {
  const first = spans[0]
  if (first === undefined || spans.length < 2 || first.kind !== 'paragraph' || spans.some((span) => span.kind === 'heading'))
    return []
  const opening = text.slice(first.start, first.end)
  return opening.length <= MAX_OPENING_CHARS && !/\n|[,;:]$/.test(opening) ? [opening] : []
}

/** A paragraph that a page's or column's end broke in the middle of a sentence. */
function continuesSentence(text: string, before: Span, span: Span): boolean {
  return (
    before.page !== span.page &&
    before.kind === span.kind &&
    span.kind !== 'table_row' &&
    !/[.!?:;。！？]["'”’)\]]*$/.test(text.slice(before.end - 8, before.end)) &&
    /^["'“‘(]?\p{Ll}/u.test(text.slice(span.start, span.start + 4))
  )
}

/** What is left over at the end of a section goes to the passage before it, where that has the room. */
function mergeTiny(drafts: readonly Draft[], target: number, maxTokens: number): Draft[] {
  const merged: Draft[] = []
  for (const draft of drafts) {
    const last = merged.at(-1)
    const sum = (last?.tokens ?? 0) + draft.tokens + 1
    const same =
      last !== undefined &&
      last.pieces[0]?.page === draft.pieces.at(-1)?.page &&
      last.pieces.at(-1)?.path === draft.pieces[0]?.path &&
      draft.pieces.at(-1)?.path === draft.pieces[0]?.path
    if (same && draft.tokens < target * TINY && sum <= Math.min(maxTokens, target * 1.25)) {
      last.pieces.push(...draft.pieces)
      last.tokens = sum
    } else merged.push(draft)
  }
  return merged
}

function toChunk(text: string, { pieces }: Draft, index: number): Omit<Chunk, 'gap' | 'context'> {
  const first = pieces[0]!
  const last = pieces.at(-1)!
  return {
    index,
    text: text.slice(first.start, last.end),
    charStart: first.start,
    charEnd: last.end,
    pageStart: first.page,
    pageEnd: last.page,
    headingPath: mainPath(pieces),
  }
}

/** Where a passage holds several short sections, the path of the one with the most text. */
function mainPath(pieces: Draft['pieces']): string[] {
  const tokens = new Map<string[], number>()
  let best: string[] = []
  for (const piece of pieces) {
    const sum = (tokens.get(piece.path) ?? 0) + piece.tokens
    tokens.set(piece.path, sum)
    if (sum > (tokens.get(best) ?? 0)) best = piece.path
  }
  return best
}

function shorten(heading: string): string {
  const line = heading.replace(/\s+/g, ' ')
  return line.length <= MAX_HEADING_CHARS
    ? line
    : `${line
        .slice(0, MAX_HEADING_CHARS - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
}
