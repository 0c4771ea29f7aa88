import { editDistance } from '../core/edit-distance.ts'
import type { ChunkIndex } from '../index/chunk-index.ts'
import type { Vocabulary } from '../records/records.ts'
import { correctableWords, maxEditsIn, withCaseOf, type CorrectableWord } from '../text/spelling.ts'
import { fold } from '../text/stem.ts'

/** Of a pasted page only so many words are looked up: nobody corrects a text that is no question. */
const MOST_WORDS = 32

export interface SpellingOptions {
  ownerId: string
  /** Where the words stand that may be corrected. */
  spans: readonly (readonly [start: number, end: number])[]
  vocabulary: Pick<Vocabulary, 'frequencies' | 'wordsLike' | 'entries'>
  index: Pick<ChunkIndex, 'keywordSearch'>
}

export interface Corrected {
  /** The question with its misspelt words replaced; null when there is nothing to correct. */
  query: string | null
  /** Of words that stand in the documents as they are, but under other terms than the question alone tells (its language is not known). */
  terms: string[]
}

/**
 * Corrects the words of a question that stand in none of its owner's documents, to the nearest word that does: the same first letter, one slip, two from
 * eight letters on; of several at the same distance the one in the most documents. A common word is right even where no document has it: `date` is no `data`.
 */
export async function correct(query: string, { ownerId, spans, vocabulary, index }: SpellingOptions): Promise<Corrected> {
  const free = correctableWords(query).filter(({ start, end }) => spans.some(([from, to]) => from <= start && end <= to))
  const words = free.slice(0, MOST_WORDS)
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
    // The vocabulary has an end, the index has every word.
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
  const slips = maxEditsIn(word)
  const shape = { initial: word[0]!, minLength: word.length - slips, maxLength: word.length + slips }
  let nearest: string[] = []
  let least = slips
  for (const candidate of await vocabulary.wordsLike(ownerId, shape)) {
    const far = editDistance(wanted, fold(candidate), least)
    if (far > least) continue
    if (far < least) nearest = []
    least = far
    nearest.push(candidate)
  }
  // The word itself: it is indexed in a language that the question alone does not tell.
  if (nearest.includes(word)) nearest = [word]
  const entries = await vocabulary.entries(ownerId, nearest)
  const best = entries.toSorted((a, b) => b.documents - a.documents || (a.word < b.word ? -1 : 1))[0]
  if (best === undefined) return null
  return { word: best.word, terms: entries.filter((entry) => entry.word === best.word).map((entry) => entry.term) }
}
