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
  /** Analysed tokens of title, heading path and text, joined by blanks. */
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
    const input = embeddingInput(title, { heading, text: chunk.text })
    // The same string the built-in embedder looks at next, so that it is analysed once.
    const tokens = analyse(`${input.title}\n${input.text}`)
    words.addPassage(tokens)
    chunks.push({ ...chunk, heading, terms: tokens.map((token) => token.term).join(' ') })
    if (embedder) vectors.push(...(await embedder.embedDocuments([input])))
  }
  return { chunks, words: words.words(), vectors: embedder && vectors }
}

/** A passage with what says what it is about: the document's title and the headings above it. */
export function embeddingInput(title: string, { heading, text }: Pick<PreparedChunk, 'heading' | 'text'>): EmbeddingInput {
  return { text, title: formatHeading(heading === '' ? [title] : [title, heading]) }
}
