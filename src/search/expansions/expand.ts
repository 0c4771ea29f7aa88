import type { SynonymRule } from '../../core/synonyms.ts'
import { possibleTerms, type QueryWord } from '../../text/analyse.ts'
import { otherSpelling } from '../../text/english-spellings.ts'
import { mayBeEnglish } from '../../text/language.ts'
import { knownOf } from '../../text/known.ts'
import { toTerm } from '../../text/stem.ts'
import { tokenize, type Word } from '../../text/tokenize.ts'
import type { Alternative, Expansion, ExpansionSource } from './expansion.ts'
import { SHIPPED_SYNONYMS } from './shipped-synonyms.ts'
import { isStop, SynonymMatcher, type SynonymPhrase } from './synonym-matcher.ts'

/** At most this many words or phrases of a question are expanded, and each to this many others, because each costs time in every search. */
const MAX_EXPANSIONS = 8
const MAX_ALTERNATIVES = 6
/** What other words for the same thing get of the score of the question's own words. Another spelling is the same word. */
const WEIGHTS: Readonly<Record<ExpansionSource, number>> = { built_in: 0.8, project: 0.8, spelling: 1 }

export interface ProjectSynonyms {
  projectId: string
  matcher: SynonymMatcher
}

export interface ExpandOptions {
  /** The parts of the question outside of quotes and operators. */
  texts: readonly string[]
  /** The words of the question in which the expansions have their own words. */
  words: readonly QueryWord[]
  synonyms: readonly ProjectSynonyms[]
}

let shipped: SynonymMatcher | null = null

export function createMatcher(rules: readonly SynonymRule[]): SynonymMatcher {
  return new SynonymMatcher(rules)
}

/** Words of one text that have other words. `start` and `length` count words. */
interface Span {
  start: number
  length: number
  alternatives: Alternative[]
}

/**
 * Finds other words for the words and phrases of a question: the user's synonyms, and in an English question the shipped ones and the
 * other spelling of British and American words. Where phrases overlap, the longest one counts.
 */
export function expand({ texts, words, synonyms }: ExpandOptions): Expansion[] {
  const rest = [...words]
  const found = new Map<string, Expansion>()
  for (const text of texts) {
    const tokens = tokenize(text)
    for (const { start, length, alternatives } of spansOf(tokens, synonyms)) {
      const typed = tokens.slice(start, start + length)
      const key = typed.map((word) => knownOf(word).lower).join(' ')
      const known = found.get(key)
      if (known === undefined && found.size === MAX_EXPANSIONS) continue
      const own = typed.map((word) => take(rest, word)).filter((terms) => terms !== null)
      if (known !== undefined) found.set(key, { ...known, own: [...known.own, ...own], times: known.times + 1 })
      else found.set(key, { typed: text.slice(typed[0]!.start, typed.at(-1)!.end), own, times: 1, alternatives })
    }
  }
  return [...found.values()]
}

/** Returns spans that don't overlap, in the order of the text. */
function spansOf(words: readonly Word[], synonyms: readonly ProjectSynonyms[]): Span[] {
  const isEnglish = mayBeEnglish(words)
  const spans = [...words.keys()].flatMap((at) => spansAt(words, at, synonyms, isEnglish))
  const taken = new Set<number>()
  return spans
    .toSorted((a, b) => b.length - a.length || a.start - b.start)
    .filter(({ start, length }) => {
      const places = Array.from({ length }, (_, i) => start + i)
      if (places.some((place) => taken.has(place))) return false
      for (const place of places) taken.add(place)
      return true
    })
    .toSorted((a, b) => a.start - b.start)
}

/** Returns the spans that begin with a word, with the alternatives of all sources. The user's own come first. */
function spansAt(words: readonly Word[], at: number, synonyms: readonly ProjectSynonyms[], isEnglish: boolean): Span[] {
  const byLength = new Map<number, Alternative[]>()
  const add = (length: number, alternative: Alternative) => {
    const all = byLength.get(length) ?? []
    if (all.length === 0) byLength.set(length, all)
    const isNew = !all.some(({ text, projectId }) => text === alternative.text && projectId === alternative.projectId)
    if (isNew && alternative.words.length > 0 && all.length < MAX_ALTERNATIVES) all.push(alternative)
  }
  for (const { projectId, matcher } of synonyms)
    for (const { length, others } of matcher.matchesAt(words, at))
      for (const phrase of others) add(length, alternativeOf(phrase, 'project', projectId))
  if (isEnglish) {
    shipped ??= new SynonymMatcher(SHIPPED_SYNONYMS)
    for (const { length, others } of shipped.matchesAt(words, at))
      for (const phrase of others) add(length, alternativeOf(phrase, 'built_in', null))
    const other = otherSpelling(knownOf(words[at]!).lower)
    if (other !== null) add(1, alternativeOf({ text: other, words: tokenize(other) }, 'spelling', null))
  }
  return [...byLength].map(([length, alternatives]) => ({ start: at, length, alternatives }))
}

function alternativeOf(
  { text, words }: Pick<SynonymPhrase, 'text' | 'words'>,
  source: ExpansionSource,
  projectId: string | null,
): Alternative {
  const telling = words.filter((word) => !isStop(word))
  return { text, words: telling.map((word) => termsOf(word, source)), weight: WEIGHTS[source], source, projectId }
}

/** The shipped words are English. The user's words can be in any language. */
function termsOf(word: Word, source: ExpansionSource): string[] {
  const { lower } = knownOf(word)
  if (source !== 'project') return [...new Set([toTerm(lower, null), toTerm(lower, 'english')])]
  return word.characters === null ? possibleTerms(lower) : word.characters.map(({ text }) => toTerm(text.toLowerCase(), null))
}

/** Removes a word from the words of the question and returns its terms. Returns null for a stop word, which the question lacks. */
function take(words: QueryWord[], word: Word): readonly string[] | null {
  const term = toTerm(knownOf(word).lower, null)
  const at = words.findIndex(({ terms }) => terms.includes(term))
  return at === -1 ? null : words.splice(at, 1)[0]!.terms
}
