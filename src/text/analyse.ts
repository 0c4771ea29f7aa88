import { joinCompounds, partsOf } from './compounds.ts'
import { guessLanguages, isStopWord, languagesOfWord, plausibleLanguages } from './language.ts'
import type { Languages } from './language.ts'
import { knownWord } from './known.ts'
import { toTerm } from './stem.ts'
import { tokenize } from './tokenize.ts'
import type { Word } from './tokenize.ts'

/** Changes with every change of what `analyse` gives: part of an index's layout version. */
export const ANALYSER_VERSION = 1

export interface Token {
  /** The form under which it is indexed: folded and stemmed; at most 63 bytes, no blanks. */
  term: string
  /** Where it stands in the text, in UTF-16 code units. Several tokens may cover the same place (camelCase parts, bigrams). */
  start: number
  end: number
  /**
   * A function word. It is indexed (so that a query of nothing else finds something, and lengths are those of the text) but never
   * asked for beside other words; who weighs words (vectors, rerankers) leaves it out.
   */
  stop: boolean
}

/** A word in the forms under which it may stand in the index. */
interface Entry {
  text: string
  lower: string
  start: number
  end: number
  stop: boolean
  /** A word of its own, a part of one (`max` of `maxTokens`), or several written together (`AB-1234`). */
  role: 'word' | 'part' | 'compound'
}

/**
 * Every indexable token of a text, in order of appearance. Words are stemmed in the language the text is guessed to be in (or not at
 * all); runs of Han, Kana, Hangul and Thai give single characters and overlapping bigrams; parts of compounds stand beside the whole.
 */
export function analyse(text: string): readonly Token[] {
  // A passage is analysed for its words and right after for its vector.
  if (latest.text === text) return latest.tokens
  const tokens = tokensOf(text)
  latest = { text, tokens }
  return tokens
}

let latest: { text: string; tokens: readonly Token[] } = { text: '', tokens: [] }

function tokensOf(text: string): Token[] {
  const words = tokenize(text)
  const languages = guessLanguages(words)
  return entriesOf(text, words, languages).map(({ lower, start, end, stop }) => ({
    term: toTerm(lower, languagesOfWord(lower, languages)[0] ?? null),
    start,
    end,
    stop,
  }))
}

/**
 * The terms of a question, for a search that takes any of them. Stop words are left out unless there is nothing else. A few words do not
 * tell their language, so each is given as it stands and stemmed in every language the question may be in: whatever `analyse` made of
 * the word in a document is among them. A word that is asked twice gives its terms twice: repetition counts in BM25.
 */
export function analyseQuery(query: string): string[] {
  const words = tokenize(query)
  const languages = plausibleLanguages(words)
  const entries = entriesOf(query, words, languages).filter((entry) => entry.role !== 'compound' || worthAsking(entry, query))
  const wanted = entries.some((entry) => !entry.stop) ? entries.filter((entry) => !entry.stop) : entries
  return wanted.flatMap(({ lower }) => {
    const stems = languagesOfWord(lower, languages).map((language) => toTerm(lower, language))
    return [...new Set([toTerm(lower, null), ...stems])]
  })
}

function entriesOf(text: string, words: readonly Word[], languages: Languages): Entry[] {
  const joined = joinCompounds(text, words)
  const shouting = isShouting(words)
  const entries: Entry[] = []
  const add = ({ text, start, end }: Word, lower: string, stop: boolean, role: Entry['role']) =>
    entries.push({ text, lower, start, end, stop, role })
  for (const [i, word] of words.entries()) {
    if (word.characters !== null) {
      addRun(word.characters, entries)
      continue
    }
    const known = knownWord(word.text)
    // Capitals in a text of mixed case are an acronym: WHO, IT, US.
    const acronym = known.capitals && known.lower.length > 1 && !shouting
    add(word, known.lower, !acronym && isStopWord(known, languages), 'word')
    if (known.splittable) for (const part of partsOf(word)) add(part, part.text.toLowerCase(), false, 'part')
    const compound = joined.get(i)
    if (compound !== undefined) add(compound, compound.text.toLowerCase(), false, 'compound')
  }
  return entries
}

function addRun(characters: readonly Word[], entries: Entry[]): void {
  for (const [i, { text, start, end }] of characters.entries()) {
    entries.push({ text, lower: text.toLowerCase(), start, end, stop: false, role: 'word' })
    const next = characters[i + 1]
    if (next === undefined) continue
    const pair = text + next.text
    entries.push({ text: pair, lower: pair.toLowerCase(), start, end: next.end, stop: false, role: 'part' })
  }
}

/**
 * Numbers and names with digits, and words with a short first part (`e-mail`): people write them both ways. Other hyphenated words are found by
 * their parts, and asking for the whole too would count them double.
 */
function worthAsking(compound: Entry, query: string): boolean {
  return /\p{N}/u.test(compound.text) || /^\p{L}{1,2}[^\p{L}]/u.test(query.slice(compound.start, compound.end))
}

function isShouting(words: readonly Word[]): boolean {
  return words.every((word) => word.characters !== null || knownWord(word.text).upper)
}
