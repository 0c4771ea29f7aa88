import type { PhraseWord } from '../../text/phrase.ts'
import { type Bitmap, createBitmap, hasBit, membersOf, setBit } from './bitmap.ts'
import { BlockDecoder } from './postings.ts'
import type { Segment } from './segment.ts'
import type { SegmentReader } from './segment-reader.ts'
import { type Term, type TermEntry, termOf } from './term-dictionary.ts'
import { eachPlace } from './term-places.ts'

/** Passages whose places are held in memory at the same time. */
const PASSAGES_AT_ONCE = 1_024

const decoder = new BlockDecoder()

/** A word of a phrase in one segment. */
interface Word {
  /** The terms of the word that the segment has. */
  terms: { term: Term; entry: TermEntry }[]
  /** Blocks of their postings. */
  blocks: number
  maxGap: number
}

/**
 * Returns the passages among `allowed` that may contain a phrase: they have its words, each near the word before it. Letter case, endings and
 * punctuation can't be seen here. Without words, every allowed passage may contain the phrase.
 */
export function phraseCandidates(reader: SegmentReader, words: readonly PhraseWord[], allowed: Bitmap): Bitmap {
  const having = withRarestWord(reader, words, allowed)
  if (words.length < 2) return having
  const { segment } = reader
  const inOrder = words.map((word) => findWord(segment, word))
  let passages = [...membersOf(having)]
  for (const word of inOrder.toSorted(byBlocks).slice(1)) {
    if (passages.length === 0) break
    passages = withWord(segment, passages, word)
  }
  const found = createBitmap(segment.passages)
  for (let at = 0; at < passages.length; at += PASSAGES_AT_ONCE)
    for (const passage of withWordsInOrder(segment, passages.slice(at, at + PASSAGES_AT_ONCE), inOrder)) setBit(found, passage)
  return found
}

/** Returns the passages among `allowed` with the rarest word of a phrase. They include `phraseCandidates`, at a fraction of the cost. */
export function withRarestWord({ segment, deletions }: SegmentReader, words: readonly PhraseWord[], allowed: Bitmap): Bitmap {
  const existing = allowed.map((word, i) => word & ~deletions.bits[i]!)
  if (words.length === 0) return existing
  const rarest = words.map((word) => findWord(segment, word)).toSorted(byBlocks)[0]!
  const having = passagesWith(segment, rarest)
  return existing.map((word, i) => word & having[i]!)
}

const byBlocks = (a: Word, b: Word) => a.blocks - b.blocks

function findWord({ terms: dictionary }: Segment, { terms, maxGap }: PhraseWord): Word {
  const word: Word = { terms: [], blocks: 0, maxGap }
  for (const text of terms) {
    const term = termOf(text)
    const place = dictionary.find(term)
    if (place === 0) continue
    const entry: TermEntry = { blocks: 0, first: 0 }
    dictionary.readEntry(place, entry)
    word.terms.push({ term, entry })
    word.blocks += entry.blocks
  }
  return word
}

/** Returns the passages with a word, also the ones that have it only in the name. */
function passagesWith(segment: Segment, { terms }: Word): Bitmap {
  const found = createBitmap(segment.passages)
  for (const { entry } of terms) {
    for (let block = 0; block < entry.blocks; block++) {
      segment.enterBlock(entry, block, decoder)
      for (let i = 0; i < decoder.count; i++) setBit(found, decoder.passages[i]!)
    }
  }
  return found
}

/** Returns which of the passages have a word outside of the name. */
function withWord(segment: Segment, passages: readonly number[], { terms }: Word): number[] {
  const has = createBitmap(passages.length)
  for (const { term } of terms) eachPlace(segment, term, passages, (which) => setBit(has, which))
  return passages.filter((_, which) => hasBit(has, which))
}

/** Returns which of the passages have each word at most `maxGap` places after the word before it. */
function withWordsInOrder(segment: Segment, passages: readonly number[], words: readonly Word[]): number[] {
  /** For each passage, where a beginning of the phrase may end. */
  let ends: number[][] | null = null
  for (const word of words) {
    const places = placesOf(segment, passages, word)
    const before: number[][] | null = ends
    ends = before === null ? places : places.map((own, which) => followers(before[which]!, own, word.maxGap))
  }
  return passages.filter((_, which) => ends![which]!.length > 0)
}

function placesOf(segment: Segment, passages: readonly number[], { terms }: Word): number[][] {
  const places = passages.map((): number[] => [])
  for (const { term } of terms) eachPlace(segment, term, passages, (which, place) => places[which]!.push(place))
  if (terms.length > 1) for (const own of places) own.sort((a, b) => a - b)
  return places
}

/** Returns the places that are at, or at most `maxGap` after, one of the places before. All are in ascending order. */
function followers(before: readonly number[], places: readonly number[], maxGap: number): number[] {
  let at = 0
  return places.filter((place) => {
    while (at < before.length && before[at]! < place - maxGap) at++
    return at < before.length && before[at]! <= place
  })
}
