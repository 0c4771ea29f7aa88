import type { Chunk } from '../core/chunk.ts'
import type { Page } from '../core/parsed.ts'
import { type Draft, mainPath, mergeTiny, Packer } from './packer.ts'
import { spansOf, type Span } from './spans.ts'
import { shorten } from '../core/text-limits.ts'

/**
 * Part of the index's fingerprint. Raise it with every change that cuts ordinary documents into other passages. A new limit on the length of
 * passages needs no new version: recovery finds the passages that are too long (`PassageIndex.inventory`).
 */
export const CHUNKER_VERSION = 4

/** About 250 English words: long enough to answer a question, short enough to have one subject. */
const DEFAULT_TARGET = 320
/** A result does not join passages that are further apart. */
const MAX_GAP_CHARS = 1_000

export interface ChunkOptions {
  /** Tokens that a passage may have. */
  maxTokens: number
  /** Counts tokens of the embedder. The sum over the parts of a text must be about the count of the whole. */
  countTokens(text: string): number
  /** Tokens that a passage should have: 320 by default, and at most `maxTokens`. */
  targetTokens?: number
}

/**
 * Cuts a document into passages along its structure: headings, paragraphs, lists, rows, sentences, pages. Pure.
 *
 * The passages are in order, don't overlap, and hold every character that is not blank:
 * `chunk.text === documentText(pages).slice(chunk.charStart, chunk.charEnd)`. A passage has at most `maxTokens` and
 * `MAX_PASSAGE_CHARS`. The chunker cuts a sentence only if it is longer than that.
 */
export function chunkDocument(pages: readonly Page[], options: ChunkOptions): Chunk[] {
  const { countTokens } = options
  const maxTokens = Math.max(1, options.maxTokens)
  const target = Math.min(options.targetTokens ?? DEFAULT_TARGET, maxTokens)
  const { text, spans } = spansOf(pages)
  const packer = new Packer(text, spans, { target, maxTokens, countTokens })
  for (const span of spans) packer.add(span)
  const drafts = mergeTiny(packer.finish(), target, maxTokens)

  const tables = new Tables(text, spans)
  let previousEnd: number | null = null
  return drafts.map((draft, index) => {
    const { start } = draft.pieces[0]!
    const above = tables.above(start)
    const context = above !== '' && draft.tokens + countTokens(above) <= maxTokens ? above : ''
    const gap = previousEnd === null || start - previousEnd > MAX_GAP_CHARS ? '' : text.slice(previousEnd, start)
    const chunk = { ...toChunk(text, draft, index), gap, context }
    previousEnd = chunk.charEnd
    return chunk
  })
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

/** Longer parts are not repeated, because they would outweigh the rows below them. */
const MAX_HEADER_CHARS = 300
const MAX_CAPTION_CHARS = 200
const MAX_CAPTION_PARAGRAPHS = 3
const MAX_LABEL_CHARS = 160
/** A sentence above a table is no caption, unless it announces the table. */
const SENTENCE_END = /[.!?;。！？]["'”’)\]]*$/

interface Table {
  start: number
  end: number
  /** The short paragraphs directly above the table. */
  caption: string
  /** Its first rows, if they are marked as headers. */
  header: { end: number; text: string }
  /** The labels of its rows, in order. Labels that directly follow each other are one. */
  labels: { end: number; text: string }[]
}

/** The tables of a document, and what a reader has to know of a table to understand a row in the middle of it. */
class Tables {
  readonly #tables: Table[]

  constructor(text: string, spans: readonly Span[]) {
    this.#tables = tablesOf(text, spans)
  }

  /**
   * Returns the caption, the header and the last label of the table that continues at a place of the text, if they stand above it. Returns
   * an empty string for a place that is in no table, or at the beginning of one.
   */
  above(place: number): string {
    const table = this.#tables.findLast(({ start }) => start < place)
    if (table === undefined || place >= table.end) return ''
    const header = table.header.end <= place ? table.header.text : ''
    const label = table.labels.findLast(({ end }) => end <= place)?.text ?? ''
    return [table.caption, header, label].filter((part) => part !== '').join('\n')
  }
}

function tablesOf(text: string, spans: readonly Span[]): Table[] {
  const tables: Table[] = []
  const textOf = ({ start, end }: Span) => text.slice(start, end).replace(/\s+/g, ' ')
  let number: number | undefined
  for (const [i, span] of spans.entries()) {
    if (span.table !== undefined && span.table !== number) {
      const caption = captionOf(spans.slice(Math.max(0, i - MAX_CAPTION_PARAGRAPHS), i), span, textOf)
      tables.push({ start: span.start, end: span.end, caption, header: { end: span.start, text: '' }, labels: [] })
    }
    number = span.table
    const table = tables.at(-1)
    if (number === undefined || table === undefined) continue
    table.end = span.end
    if (span.header === true) addHeader(table, span, spans[i - 1], textOf(span))
    else if (span.label === true) addLabel(table, span, spans[i - 1], textOf(span))
  }
  return tables
}

function captionOf(before: readonly Span[], first: Span, textOf: (span: Span) => string): string {
  let caption = ''
  for (const span of before.toReversed()) {
    const text = textOf(span)
    const isCaption = span.kind === 'paragraph' && span.page === first.page && !SENTENCE_END.test(text)
    if (!isCaption || caption.length + text.length >= MAX_CAPTION_CHARS) break
    caption = caption === '' ? text : `${text} ${caption}`
  }
  return caption
}

/** Only the header rows at the beginning of a table count. If they are too long together, those nearest to the figures stay. */
function addHeader(table: Table, span: Span, before: Span | undefined, row: string): void {
  const isNext = span.start === table.start || before?.header === true
  const text = table.header.text === '' ? row : `${table.header.text} ${row}`
  if (isNext) table.header = { end: span.end, text: text.length <= MAX_HEADER_CHARS ? text : shorten(row, MAX_HEADER_CHARS) }
}

function addLabel(table: Table, span: Span, before: Span | undefined, row: string): void {
  const last = before?.label === true && before.table === span.table ? table.labels.at(-1) : undefined
  const text = last === undefined ? row : `${last.text} ${row}`
  if (text.length > MAX_LABEL_CHARS) return
  if (last === undefined) table.labels.push({ end: span.end, text })
  else Object.assign(last, { end: span.end, text })
}
