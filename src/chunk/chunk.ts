import type { Chunk } from '../core/chunk.ts'
import type { Page } from '../core/parsed.ts'
import { type Draft, mainPath, mergeTiny } from './draft.ts'
import { Packer } from './packer.ts'
import { spansOf } from './spans.ts'
import { Tables } from './tables.ts'

/**
 * Part of the index's fingerprint. Raise it with every change that cuts ordinary documents into other passages. A new limit on the length of
 * passages needs no new version: recovery finds the passages that are too long (`ChunkIndex.inventory`).
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
