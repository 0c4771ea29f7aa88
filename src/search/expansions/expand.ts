import { possibleTerms, type QueryWord } from '../../text/analyse.ts'
import { otherSpelling } from '../../text/english-spellings.ts'
import { mayBeEnglish } from '../../text/language.ts'
import { knownOf } from '../../text/known.ts'
import { toTerm } from '../../text/stem.ts'
import { tokenize } from '../../text/tokenize.ts'
import type { Alternative, Expansion, ExpansionSource } from './expansion.ts'
import { SHIPPED_SYNONYMS } from './shipped-synonyms.ts'
import { isStop, SynonymMatcher, unitsOf, type Unit } from './synonym-matcher.ts'

/** At most this many words or phrases of a question are expanded, because each costs time in every search. */
const MAX_EXPANSIONS = 8
/** Each is expanded to at most this many others by what docsearch ships, and to as many by each project. */
const MAX_ALTERNATIVES = 6
/** At most this many others come from all projects together. */
const MAX_OF_PROJECTS = 12
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

function shippedMatcher(): SynonymMatcher {
  if (shipped === null) {
    shipped = new SynonymMatcher('built_in')
    for (const rule of SHIPPED_SYNONYMS) shipped.add(rule)
  }
  return shipped
}

/** Units of one text that have other words. */
interface Span {
  start: number
  length: number
  alternatives: readonly Alternative[]
}

/**
 * Finds other words for the words and phrases of a question: those of the projects, and in an English question the shipped ones and the
 * other spelling of British and American words. Where phrases overlap, the longest one counts.
 */
export function expand({ texts, words, synonyms }: ExpandOptions): Expansion[] {
  const rest = [...words]
  const found = new Map<string, Expansion>()
  for (const text of texts) {
    const tokens = tokenize(text)
    const units = unitsOf(tokens, 'project')
    const english = mayBeEnglish(tokens) ? unitsOf(tokens, 'built_in') : null
    for (const { start, length, alternatives } of spansOf({ units, english }, synonyms)) {
      const typed = units.slice(start, start + length)
      const key = typed.map(({ word }) => knownOf(word).lower).join(' ')
      const known = found.get(key)
      if (known === undefined && found.size === MAX_EXPANSIONS) continue
      const own = formsOf(typed)
        .map((lower) => take(rest, lower))
        .filter((terms) => terms !== null)
      if (known !== undefined) found.set(key, { ...known, own: [...known.own, ...own], times: known.times + 1 })
      else found.set(key, { typed: text.slice(typed[0]!.word.start, typed.at(-1)!.word.end), own, times: 1, alternatives })
    }
  }
  return [...found.values()]
}

/** A text as the projects' rules see it, and as the shipped ones do. Null when it isn't English. */
interface Units {
  units: readonly Unit[]
  english: readonly Unit[] | null
}

/** Returns spans that don't overlap, in the order of the text. */
function spansOf(text: Units, synonyms: readonly ProjectSynonyms[]): Span[] {
  const spans = [...text.units.keys()].flatMap((at) => spansAt(text, at, synonyms))
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

/** Returns the spans that begin with a unit, with the alternatives of all sources. */
function spansAt({ units, english }: Units, at: number, synonyms: readonly ProjectSynonyms[]): Span[] {
  const byLength = new Map<number, Alternatives>()
  const of = (length: number) => {
    const known = byLength.get(length) ?? new Alternatives()
    byLength.set(length, known)
    return known
  }
  for (const { projectId, matcher } of synonyms)
    for (const { length, others, isOneWay } of matcher.matchesAt(units, at)) {
      if (isOneWay) of(length).override(projectId)
      for (const text of others) of(length).addOf(projectId, text)
    }
  if (english !== null) {
    for (const { length, others } of shippedMatcher().matchesAt(english, at))
      for (const text of others) of(length).addShared('built_in', text)
    const other = otherSpelling(knownOf(units[at]!.word).lower)
    if (other !== null) of(1).addShared('spelling', other)
  }
  return [...byLength].flatMap(([length, found]) => {
    const alternatives = found.list()
    return alternatives.length === 0 ? [] : { start: at, length, alternatives }
  })
}

/** Collects the alternatives of a span. */
class Alternatives {
  /** By their texts. Projects with the same text share one. */
  readonly #ofProjects = new Map<string, { words: Alternative['words']; projectIds: Set<string> }>()
  readonly #perProject = new Map<string, number>()
  readonly #overriding = new Set<string>()
  readonly #shared: Pick<Alternative, 'text' | 'words' | 'source'>[] = []

  /** In this project, a one-way rule replaces the shipped synonyms. */
  override(projectId: string): void {
    this.#overriding.add(projectId)
  }

  addOf(projectId: string, text: string): void {
    const number = this.#perProject.get(projectId) ?? 0
    const known = this.#ofProjects.get(text)
    if (number === MAX_ALTERNATIVES || known?.projectIds.has(projectId) === true) return
    if (known !== undefined) known.projectIds.add(projectId)
    else if (this.#ofProjects.size < MAX_OF_PROJECTS)
      this.#ofProjects.set(text, { words: wordsOf(text, 'project'), projectIds: new Set([projectId]) })
    else return
    this.#perProject.set(projectId, number + 1)
  }

  addShared(source: 'built_in' | 'spelling', text: string): void {
    if (this.#shared.length === MAX_ALTERNATIVES || this.#shared.some((one) => one.text === text)) return
    const words = wordsOf(text, source)
    if (words.length > 0) this.#shared.push({ text, words, source })
  }

  list(): Alternative[] {
    const weight = (source: ExpansionSource) => ({ source, weight: WEIGHTS[source] })
    return [
      ...Array.from(this.#ofProjects, ([text, { words, projectIds }]): Alternative => {
        return { text, words, ...weight('project'), scope: { kind: 'only', projectIds } }
      }),
      ...this.#shared.map(({ text, words, source }): Alternative => {
        const own = this.#ofProjects.get(text)?.projectIds
        const projectIds = own === undefined ? this.#overriding : new Set([...this.#overriding, ...own])
        return { text, words, ...weight(source), scope: { kind: 'except', projectIds } }
      }),
    ]
  }
}

/** Returns the terms of each word of an alternative, without stop words. */
function wordsOf(text: string, source: ExpansionSource): string[][] {
  const units = unitsOf(tokenize(text), 'project')
  return formsOf(units.filter(({ word }) => !isStop(word))).map((lower) => termsOf(lower, source))
}

/** The shipped words are English. The user's words can be in any language. */
function termsOf(lower: string, source: ExpansionSource): string[] {
  return source === 'project' ? possibleTerms(lower) : [...new Set([toTerm(lower, null), toTerm(lower, 'english')])]
}

/** Returns the words in lower case. A run gives its characters and the pairs of them, as in the index (text/analyse.ts). */
function formsOf(units: readonly Unit[]): string[] {
  return units.flatMap(({ word, isJoined }, i) => {
    const { lower } = knownOf(word)
    return isJoined && i > 0 ? [knownOf(units[i - 1]!.word).lower + lower, lower] : lower
  })
}

/** Removes a word from the words of the question and returns its terms. Returns null for a stop word, which the question lacks. */
function take(words: QueryWord[], lower: string): readonly string[] | null {
  const term = toTerm(lower, null)
  const at = words.findIndex(({ terms }) => terms.includes(term))
  return at === -1 ? null : words.splice(at, 1)[0]!.terms
}
