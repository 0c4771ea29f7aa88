import { hash } from 'node:crypto'
import { chunkDocument } from '../../chunk/chunk.ts'
import { formatHeading } from '../../core/chunk.ts'
import type { Page } from '../../core/parsed.ts'
import type { Embedder, EmbeddingInput } from '../../embed/embedder.ts'
import { analyse } from '../../text/analyse.ts'
import { createWordList, type CountedWord } from '../../text/word-list.ts'

/** A passage as it is indexed, but for what belongs to its whole document. */
export interface PreparedChunk {
  index: number
  text: string
  charStart: number
  charEnd: number
  pageStart: number
  pageEnd: number
  heading: string
  /** See `Chunk`. */
  gap: string
  context: string
  /** The same for the same text, whatever blanks are in it. */
  textHash: string
  /** Analysed tokens of title, heading path, context and text, joined by blanks. */
  terms: string
}

export interface PrepareRequest {
  title: string
  pages: readonly Page[]
  maxTokens: number
}

/** Pages to passages with their terms, and the words of all of them; `embedder`, where it only computes, gives the vectors along the way. */
export async function prepare(
  { title, pages, maxTokens }: PrepareRequest,
  countTokens: (text: string) => number,
  embedder: Pick<Embedder, 'embedDocuments'> | null,
): Promise<{ chunks: PreparedChunk[]; words: CountedWord[]; vectors: (Float32Array | null)[] | null }> {
  const chunks: PreparedChunk[] = []
  const words = createWordList()
  const vectors: (Float32Array | null)[] = []
  for (const { headingPath, ...chunk } of chunkDocument(pages, { maxTokens, countTokens })) {
    const heading = formatHeading(headingPath)
    const input = embeddingInput(title, { ...chunk, heading })
    // The same string the built-in embedder looks at next, so that it is analysed once.
    const tokens = analyse(`${input.title}\n${input.text}`)
    words.addPassage(tokens)
    chunks.push({ ...chunk, heading, textHash: hashOf(chunk.text), terms: tokens.map((token) => token.term).join(' ') })
    if (embedder) vectors.push(...(await embedder.embedDocuments([input])))
  }
  return { chunks, words: words.words(), vectors: embedder && vectors }
}

/** A passage with what says what it is about: the document's title and the headings above it, and the header of its table. */
export function embeddingInput(
  title: string,
  { heading, context, text }: Pick<PreparedChunk, 'heading' | 'context' | 'text'>,
): EmbeddingInput {
  return {
    text: context === '' ? text : `${context}\n${text}`,
    title: formatHeading(heading === '' ? [title] : [title, heading]),
  }
}

function hashOf(text: string): string {
  return hash('sha256', text.replace(/\s+/g, ' '), 'base64url').slice(0, 22)
}
