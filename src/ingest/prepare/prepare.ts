import { hash } from 'node:crypto'
import { chunkDocument } from '../../chunk/chunk.ts'
import { formatHeading, shortHeading } from '../../core/chunk.ts'
import type { Page } from '../../core/parsed.ts'
import type { Embedder, EmbeddingInput } from '../../embed/embedder.ts'
import { analyse } from '../../text/analyse.ts'
import { createWordList, type CountedWord } from '../../text/word-list.ts'

/** A passage with everything that the index stores, except for the fields of its document. */
export interface PreparedPassage {
  index: number
  text: string
  charStart: number
  charEnd: number
  pageStart: number
  pageEnd: number
  heading: string
  /** See `Chunk`. */
  gap: string
  /** See `Chunk`. */
  context: string
  /** Equal for texts that differ only in white space. */
  textHash: string
  /** Analysed terms of title, heading path, context and text, separated by spaces. */
  terms: string
}

export interface PrepareRequest {
  title: string
  pages: readonly Page[]
  maxTokens: number
}

/**
 * Cuts pages into passages, analyses them and counts their words. Given an `embedder`, also returns a vector for each passage; only the built-in
 * embedder is fast enough for that.
 */
export async function prepare(
  { title, pages, maxTokens }: PrepareRequest,
  countTokens: (text: string) => number,
  embedder: Pick<Embedder, 'embedDocuments'> | null,
): Promise<{ passages: PreparedPassage[]; words: CountedWord[]; vectors: (Float32Array | null)[] | null }> {
  const passages: PreparedPassage[] = []
  const words = createWordList()
  const vectors: (Float32Array | null)[] = []
  for (const { headingPath, ...chunk } of chunkDocument(pages, { maxTokens, countTokens })) {
    const heading = shortHeading(headingPath)
    const input = embeddingInput(title, { ...chunk, heading })
    // The same string that the built-in embedder analyses next: `analyse` remembers its last one.
    const tokens = analyse(`${input.title}\n${input.text}`)
    words.addPassage(tokens)
    const terms = tokens.map((token) => token.term).join(' ')
    passages.push({ ...chunk, heading, textHash: hashOf(chunk.text), terms })
    if (embedder) vectors.push(...(await embedder.embedDocuments([input])))
  }
  return { passages, words: words.words(), vectors: embedder && vectors }
}

/** Returns the passage with what tells its subject: the document's title, the headings above it, and the header of its table. */
export function embeddingInput(
  title: string,
  { heading, context, text }: Pick<PreparedPassage, 'heading' | 'context' | 'text'>,
): EmbeddingInput {
  return {
    text: context === '' ? text : `${context}\n${text}`,
    title: formatHeading(heading === '' ? [title] : [title, heading]),
  }
}

function hashOf(text: string): string {
  return hash('sha256', text.replace(/\s+/g, ' '), 'base64url').slice(0, 22)
}
