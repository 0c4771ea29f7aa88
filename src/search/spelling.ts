import { editDistance } from '../core/edit-distance.ts'
import type { ChunkIndex } from '../index/chunk-index.ts'
import type { Vocabulary } from '../records/records.ts'
import { correctableWords, maxEditsIn, withCaseOf, type CorrectableWord } from '../text/spelling.ts'
import { fold } from '../text/stem.ts'

/** At most this many words are corrected: a longer text was pasted, and is no question. */
const MAX_WORDS = 32

export interface SpellingOptions {
  ownerId: string
  /** The parts of the query whose words may be corrected. */
  spans: readonly (readonly [start: number, end: number])[]
  vocabulary: Pick<Vocabulary, 'frequencies' | 'wordsLike' | 'entries'>
  index: Pick<ChunkIndex, 'keywordSearch'>
}

export interface Corrected {
  /** The question with its misspelled words replaced. Null when there is nothing to correct. */
  query: string | null
  /** Terms of words that the documents have, but in a language that the question alone does not reveal. */
  terms: string[]
}

/**
 * Corrects the words of a question that none of the owner's documents contains. It takes the nearest word of the documents: with the
 * same first letter and one edit, or two from eight letters on; among equally near words, the one in the most documents. A common word
 * is right even when no document has it: `date` is no misspelled `data`.
 */
export async function correct(query: string, { ownerId, spans, vocabulary, index }: SpellingOptions): Promise<Corrected> {
  const free = correctableWords(query).filter(({ start, end }) => spans.some(([from, to]) => from <= start && end <= to))
  const words = free.slice(0, MAX_WORDS)
  const { passages, frequency } = await vocabulary.frequencies(
    ownerId,
    words.flatMap((word) => word.terms),
  )
  if (passages === 0) return { query: null, terms: [] }
  const terms: string[] = []
  let corrected = ''
  let at = 0
  for (const word of words) {
    if (word.terms.some((term) => frequency.has(term))) continue
    // The vocabulary is limited, the index has every word.
    if ((await index.keywordSearch(word.terms, { ownerId }, 1)).length > 0) continue
    const nearest = await nearestWord(word, ownerId, vocabulary)
    if (nearest === null) continue
    if (nearest.word === word.word) {
      terms.push(...nearest.terms)
      continue
    }
    if (word.isCommon()) continue
    corrected += query.slice(at, word.start) + withCaseOf(query.slice(word.start, word.end), nearest.word)
    at = word.end
  }
  return { query: at === 0 ? null : corrected + query.slice(at), terms }
}

async function nearestWord(
  { word }: CorrectableWord,
  ownerId: string,
  vocabulary: SpellingOptions['vocabulary'],
): Promise<{ word: string; terms: string[] } | null> {
  const wanted = fold(word)
  const maxEdits = maxEditsIn(word)
  const shape = { initial: word[0]!, minLength: word.length - maxEdits, maxLength: word.length + maxEdits }
  let nearest: string[] = []
  let shortest = maxEdits
  for (const candidate of await vocabulary.wordsLike(ownerId, shape)) {
    const distance = editDistance(wanted, fold(candidate), shortest)
    if (distance > shortest) continue
    if (distance < shortest) nearest = []
    shortest = distance
    nearest.push(candidate)
  }
  // The documents have the word itself, in a language that the question alone does not reveal.
  if (nearest.includes(word)) nearest = [word]
  const entries = await vocabulary.entries(ownerId, nearest)
  const best = entries.toSorted((a, b) => b.documents - a.documents || (a.word < b.word ? -1 : 1))[0]
  if (best === undefined) return null
  return { word: best.word, terms: entries.filter((entry) => entry.word === best.word).map((entry) => entry.term) }
}
