import type { SearchFilter } from '../core/search-filter.ts'
import { type PhraseWord, phraseWords } from '../index/phrase.ts'
import { type Bitmap, createBitmap, membersOf, setBit } from '../index/segments/bitmap.ts'
import { phraseCandidates, withRarestWord } from '../index/segments/phrase-candidates.ts'
import type { SegmentReader } from '../index/segments/segment-reader.ts'

/** The words of the phrases of a filter. */
export class Phrases {
  readonly #wanted: readonly (readonly PhraseWord[])[]
  readonly #unwanted: readonly (readonly PhraseWord[])[]

  constructor({ phrases = [], withoutPhrases = [] }: SearchFilter) {
    this.#wanted = phrases.map(phraseWords)
    this.#unwanted = withoutPhrases.map(phraseWords)
  }

  /** Returns the allowed passages whose texts decide: those that may have all phrases, or else those that may have an unwanted phrase. */
  undecided(reader: SegmentReader, allowed: Bitmap): Bitmap {
    if (this.#wanted.length > 0)
      return this.#wanted.reduce((candidates, words) => phraseCandidates(reader, words, candidates), allowed)
    const undecided = createBitmap(reader.segment.passages)
    for (const words of this.#unwanted) {
      const candidates = phraseCandidates(reader, words, allowed)
      for (let i = 0; i < undecided.length; i++) undecided[i]! |= candidates[i]!
    }
    return undecided
  }

  /** Returns the allowed passages that have the phrases, and none of the unwanted ones, when `rows` are the undecided ones that do. */
  decided(reader: SegmentReader, allowed: Bitmap, rows: ReadonlySet<bigint>): Bitmap {
    const [first] = this.#wanted
    const undecided = first === undefined ? this.undecided(reader, allowed) : withRarestWord(reader, first, allowed)
    const decided = createBitmap(reader.segment.passages)
    if (first === undefined) for (let i = 0; i < decided.length; i++) decided[i] = allowed[i]! & ~undecided[i]!
    for (const passage of membersOf(undecided)) if (rows.has(reader.segment.sections.rows[passage]!)) setBit(decided, passage)
    return decided
  }
}
