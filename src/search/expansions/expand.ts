import { possibleTerms, type QueryWord } from '../../text/analyse.ts'
import { otherSpelling } from '../../text/english-spellings.ts'
import { mayBeEnglish } from '../../text/language.ts'
import { knownOf } from '../../text/known.ts'
import { toTerm } from '../../text/stem.ts'
import { tokenize } from '../../text/tokenize.ts'
import type { Alternative, Expansion, ExpansionSource, ProjectScope } from './expansion.ts'
import { SHIPPED_SYNONYMS } from './shipped-synonyms.ts'
import {
  isStop,
  MAX_OTHERS,
  type SynonymEntry,
  type SynonymMatch,
  SynonymMatcher,
  type Unit,
  unitsOf,
} from './synonym-matcher.ts'

/** At most this many words or phrases of a question are expanded, because each costs time in every search. */
const MAX_EXPANSIONS = 8
/** Only the first words of a long text are expanded. */
const MAX_UNITS = 200
/** At most this many others come from all projects together. */
const MAX_OF_PROJECTS = 12
/** What other words for the same thing get of the score of the question's own words. Another spelling is the same word. */
const WEIGHTS: Readonly<Record<ExpansionSource, number>> = { built_in: 0.8, project: 0.8, spelling: 1 }

/** The synonyms of the user's projects. */
export interface OwnSynonyms {
  matcher: SynonymMatcher
  /** The projects whose synonyms count. Null: all. */
  projectIds: ReadonlySet<string> | null
}

export interface ExpandOptions {
  /** The parts of the question outside of quotes and operators. */
  texts: readonly string[]
  /** The words of the question in which the expansions have their own words. */
  words: readonly QueryWord[]
  /** Null when the user's projects have none. */
  synonyms: OwnSynonyms | null
}

/** Units of one text that have other words. */
interface Span {
  start: number
  length: number
  ofProjects: OfProjects | null
  shared: { source: 'built_in' | 'spelling'; text: string }[]
}

/**
 * Finds other words for the words and phrases of a question: the projects' synonyms and, in an English question, the shipped synonyms
 * and the other spelling of British and American words. Where phrases overlap, the longest one counts.
 */
export function expand({ texts, words, synonyms }: ExpandOptions): Expansion[] {
  const rest = [...words]
  const found = new Map<string, Expansion>()
  const finder = new SpanFinder(synonyms)
  for (const text of texts) {
    const tokens = tokenize(text)
    const units = unitsOf(tokens, 'project').slice(0, MAX_UNITS)
    const english = mayBeEnglish(tokens) ? unitsOf(tokens, 'built_in').slice(0, MAX_UNITS) : null
    for (const span of withoutOverlap(finder.find(units, english))) {
      const typed = units.slice(span.start, span.start + span.length)
      const key = typed.map(({ word }) => knownOf(word).lower).join(' ')
      const known = found.get(key)
      if (known === undefined && found.size === MAX_EXPANSIONS) continue
      const own = formsOf(typed)
        .map((lower) => take(rest, lower))
        .filter((terms) => terms !== null)
      if (known !== undefined) found.set(key, { ...known, own: [...known.own, ...own], times: known.times + 1 })
      else {
        const typedText = text.slice(typed[0]!.word.start, typed.at(-1)!.word.end)
        found.set(key, { typed: typedText, own, times: 1, alternatives: alternativesOf(span) })
      }
    }
  }
  return [...found.values()]
}

/** Returns the spans that count, in the order of the text. */
function withoutOverlap(spans: readonly Span[]): Span[] {
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

/** Finds all spans of the texts of a question that have other words. */
class SpanFinder {
  readonly #synonyms: OwnSynonyms | null
  /** By the key of the phrase, because thousands of projects may have the same phrase, and a question may repeat it. */
  readonly #ofProjects = new Map<string, OfProjects>()

  constructor(synonyms: OwnSynonyms | null) {
    this.#synonyms = synonyms
  }

  /** `english` are the same units as the shipped rules see them. Null: the text isn't English. */
  find(units: readonly Unit[], english: readonly Unit[] | null): Span[] {
    return [...units.keys()].flatMap((at) => [...this.#spansAt(units, english, at).values()])
  }

  /** Returns the spans that begin with a unit, by their lengths. */
  #spansAt(units: readonly Unit[], english: readonly Unit[] | null, start: number): Map<number, Span> {
    const spans = new Map<number, Span>()
    const of = (length: number): Span => {
      const span = spans.get(length) ?? { start, length, ofProjects: null, shared: [] }
      spans.set(length, span)
      return span
    }
    const { capitals, lower } = knownOf(units[start]!.word)
    for (const match of this.#synonyms?.matcher.matchesAt(units, start) ?? []) {
      const ofProjects = this.#find(match, capitals)
      if (ofProjects.byText.size > 0) of(match.length).ofProjects = ofProjects
    }
    if (english === null) return spans
    for (const { length, entries } of shippedMatcher().matchesAt(english, start))
      for (const { needsCapitals, others } of entries)
        if (capitals || !needsCapitals) of(length).shared.push(...others.map((text) => ({ source: 'built_in' as const, text })))
    const other = otherSpelling(lower)
    if (other !== null) of(1).shared.push({ source: 'spelling', text: other })
    return spans
  }

  #find({ key, entries }: SynonymMatch, capitals: boolean): OfProjects {
    const memoKey = `${key} ${capitals}`
    const known = this.#ofProjects.get(memoKey) ?? new OfProjects()
    if (this.#ofProjects.has(memoKey)) return known
    this.#ofProjects.set(memoKey, known)
    for (const entry of entries) {
      const counts = this.#synonyms?.projectIds?.has(entry.projectId ?? '') ?? true
      if (counts && (capitals || !entry.needsCapitals)) known.add(entry)
    }
    return known
  }
}

/** What projects have for a phrase. */
class OfProjects {
  /** The projects that have each other phrase. */
  readonly byText = new Map<string, Set<string>>()
  /** The projects in which a one-way rule replaces the shipped synonyms. */
  readonly overriding = new Set<string>()

  add({ projectId, others, isOneWay }: SynonymEntry): void {
    if (projectId === null) return
    if (isOneWay) this.overriding.add(projectId)
    for (const text of others) {
      const having = this.byText.get(text)
      if (having !== undefined) having.add(projectId)
      else if (this.byText.size < MAX_OF_PROJECTS) this.byText.set(text, new Set([projectId]))
    }
  }
}

const NO_PROJECTS: ReadonlySet<string> = new Set()

/** Returns the alternatives of the projects, then the others. A project that has the same phrase as the shipped synonyms has its own. */
function alternativesOf({ ofProjects, shared }: Span): Alternative[] {
  const byText = ofProjects?.byText ?? new Map<string, Set<string>>()
  const overriding = ofProjects?.overriding ?? NO_PROJECTS
  const own = Array.from(byText, ([text, projectIds]) => alternativeOf('project', text, { kind: 'only', projectIds }))
  const distinct = shared.filter((one, i) => shared.findIndex(({ text }) => text === one.text) === i)
  const others = distinct
    .map(({ source, text }) => {
      const having = byText.get(text)
      const projectIds = having === undefined ? overriding : new Set([...overriding, ...having])
      return alternativeOf(source, text, { kind: 'except', projectIds })
    })
    .filter(({ words }) => words.length > 0)
  return [...own, ...others.slice(0, MAX_OTHERS)]
}

function alternativeOf(source: ExpansionSource, text: string, scope: ProjectScope): Alternative {
  return { text, words: wordsOf(text, source), weight: WEIGHTS[source], source, scope }
}

let shipped: SynonymMatcher | null = null

function shippedMatcher(): SynonymMatcher {
  if (shipped === null) {
    shipped = new SynonymMatcher('built_in')
    for (const rule of SHIPPED_SYNONYMS) shipped.add(rule, null)
  }
  return shipped
}

/** Returns the terms of each word of an alternative, without stop words. */
function wordsOf(text: string, source: ExpansionSource): string[][] {
  const units = unitsOf(tokenize(text), 'project')
  return formsOf(units.filter(({ word }) => !isStop(word))).map((lower) => termsOf(lower, source))
}

/** The shipped words are English. The user's words can be in any language. */
function termsOf(lower: string, source: ExpansionSource): string[] {
  return source === 'project' ? [...possibleTerms(lower)] : [...new Set([toTerm(lower, null), toTerm(lower, 'english')])]
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
