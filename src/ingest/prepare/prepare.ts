import { chunkDocument } from '../../chunk/chunk.ts'
import { type Chunk, shortHeading } from '../../core/chunk.ts'
import type { Page } from '../../core/parsed.ts'
import type { Embedder } from '../../embed/embedder.ts'
import type { IndexedPassage } from '../../core/passage.ts'
import { passageTerms, searchedText, hashText } from '../../text/passage-terms.ts'
import { createWordList, type TermAndWord } from '../../text/word-list.ts'

/** A passage with everything that the index stores, except for the fields of its document. */
export type PreparedPassage = Pick<
  IndexedPassage,
  keyof Omit<Chunk, 'headingPath'> | 'heading' | 'textHash' | 'terms' | 'titleTerms' | 'headingTerms' | 'language'
>

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
): Promise<{ passages: PreparedPassage[]; words: TermAndWord[]; vectors: (Float32Array | null)[] | null }> {
  const passages: PreparedPassage[] = []
  const words = createWordList()
  const vectors: (Float32Array | null)[] = []
  for (const { headingPath, ...chunk } of chunkDocument(pages, { maxTokens, countTokens })) {
    const heading = shortHeading(headingPath)
    const texts = { ...chunk, title, heading }
    const { tokens, ...terms } = passageTerms(texts)
    words.addPassage(tokens)
    passages.push({ ...chunk, heading, textHash: hashText(chunk.text), ...terms })
    if (embedder) vectors.push(...(await embedder.embedDocuments([searchedText(texts)])))
  }
  return { passages, words: words.words(), vectors: embedder && vectors }
}
