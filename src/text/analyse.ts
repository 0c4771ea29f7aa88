import { joinCompounds, partsOf } from './compounds.ts'
import { guessLanguages, isStopWord, languagesOfWord, plausibleLanguages } from './language.ts'
import type { Languages } from './language.ts'
import { knownOf, knownWord, type KnownWord } from './known.ts'
import { toTerm } from './stem.ts'
import { tokenize } from './tokenize.ts'
import type { Word } from './tokenize.ts'

/** Changes with every change of what `analyse` gives: part of an index's layout version. */
export const ANALYSER_VERSION = 1

export interface Token {
  /** The form under which it is indexed: folded and stemmed; at most 63 bytes, no blanks. */
  term: string
  /** The word itself; `known.lower` is `ab1234` for `AB-1234`. */
  known: KnownWord
  /** Where it stands in the text, in UTF-16 code units. Several tokens may cover the same place (camelCase parts, bigrams). */
  start: number
  end: number
  /**
   * A function word. It is indexed (so that a query of nothing else finds something, and lengths are those of the text) but never
   * asked for beside other words; who weighs words (vectors, rerankers) leaves it out.
   */
  stop: boolean
}

/** A word in a form under which it stands in the index: of its own, a part of one (`max` of `maxTokens`), or several written together (`AB-1234`). */
type Visit = (known: KnownWord, word: Word, stop: boolean, role: Role) => void

/** The last two are of runs written without blanks: single characters, and overlapping pairs of them. */
type Role = 'word' | 'part' | 'compound' | 'character' | 'pair'

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
  const tokens: Token[] = []
  eachEntry(text, words, languages, (known, { start, end }, stop) => {
    tokens.push({ term: termOf(known, languages), known, start, end, stop })
  })
  return tokens
}

/** Stemmed in the language of the text. It is kept with the word: the next text is most likely in the same. */
function termOf(known: KnownWord, languages: Languages): string {
  const language = (known.ascii ? languages.latin : languagesOfWord(known.lower, languages))[0] ?? null
  if (known.stem?.language !== language) known.stem = { language, term: toTerm(known.lower, language) }
  return known.stem.term
}

/** A word of a question in every form under which it may stand in the index. */
export interface QueryWord {
  terms: readonly string[]
  role: Role
}

/**
 * The terms of a question, for a search that takes any of them. Stop words are left out unless there is nothing else. A few words do not
 * tell their language, so each is given as it stands and stemmed in every language the question may be in: whatever `analyse` made of
 * the word in a document is among them. A word that is asked twice gives its terms twice: repetition counts in BM25.
 */
export function analyseQuery(query: string): string[] {
  return queryWords(query).flatMap((word) => word.terms)
}

/** The same word by word, in their order: for those who look at how words stand together. */
export function queryWords(query: string): QueryWord[] {
  const words = tokenize(query)
  const languages = plausibleLanguages(words)
  const entries: { lower: string; stop: boolean; role: Role }[] = []
  eachEntry(query, words, languages, ({ lower }, word, stop, role) => {
    if (role !== 'compound' || worthAsking(word, query)) entries.push({ lower, stop, role })
  })
  const wanted = entries.some((entry) => !entry.stop) ? entries.filter((entry) => !entry.stop) : entries
  return wanted.map(({ lower, role }) => {
    const stems = languagesOfWord(lower, languages).map((language) => toTerm(lower, language))
    return { terms: [...new Set([toTerm(lower, null), ...stems])], role }
  })
}

/** Calls back instead of returning a list: every word of every document comes by here. */
function eachEntry(text: string, words: readonly Word[], languages: Languages, visit: Visit): void {
  const joined = joinCompounds(text, words)
  const shouting = isShouting(words)
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word.characters !== null) {
      eachOfRun(word.characters, visit)
      continue
    }
    const known = knownOf(word)
    // Capitals in a text of mixed case are an acronym: WHO, IT, US.
    const acronym = known.capitals && known.lower.length > 1 && !shouting
    visit(known, word, !acronym && isStopWord(known, languages), 'word')
    if (known.splittable) for (const part of partsOf(word)) visit(knownOf(part), part, false, 'part')
    const compound = joined.get(i)
    if (compound !== undefined) visit(knownOf(compound), compound, false, 'compound')
  }
}

function eachOfRun(characters: readonly Word[], visit: Visit): void {
  for (const [i, character] of characters.entries()) {
    visit(knownOf(character), character, false, 'character')
    const next = characters[i + 1]
    if (next === undefined) continue
    const pair = character.text + next.text
    visit(knownWord(pair), { text: pair, start: character.start, end: next.end, characters: null, known: null }, false, 'pair')
  }
}

/**
 * Numbers and names with digits, and words with a short first part (`e-mail`): people write them both ways. Other hyphenated words are found by
 * their parts, and asking for the whole too would count them double.
 */
function worthAsking(compound: Word, query: string): boolean {
  return /\p{N}/u.test(compound.text) || /^\p{L}{1,2}[^\p{L}]/u.test(query.slice(compound.start, compound.end))
}

function isShouting(words: readonly Word[]): boolean {
  return words.every((word) => word.characters !== null || knownOf(word).upper)
}
