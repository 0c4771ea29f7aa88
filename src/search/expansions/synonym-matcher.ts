import type { SynonymRule } from '../../core/synonyms.ts'
import { isCommon, EVERY_LANGUAGE, isStopWord } from '../../text/language.ts'
import { knownOf } from '../../text/known.ts'
import { fold } from '../../text/stem.ts'
import { tokenize, type Word } from '../../text/tokenize.ts'

/** Who wrote the rules. The shipped ones are English and checked on collections. The user's can be in any language, and mean what they say. */
export type RuleSource = 'built_in' | 'project'

/** A word, or a character of a run of Chinese, Japanese, Korean or Thai. */
export interface Unit {
  word: Word
  /** Words with the same key are the same to the matcher. It ignores letter case, diacritics and plural endings. */
  key: string
  isCharacter: boolean
  /** True for a character that follows another one of the same run. */
  isJoined: boolean
}

/** A phrase in a question. */
export interface SynonymMatch {
  /** The keys of its units, joined by blanks. */
  key: string
  /** The number of units in the question. */
  length: number
  entries: readonly SynonymEntry[]
}

/** What the rules of a project have for a phrase. */
export interface SynonymEntry {
  /** Null for the shipped rules. */
  projectId: string | null
  /** The first other phrases, at most `MAX_OTHERS`. */
  others: readonly string[]
  /** True if one of the rules goes one way. */
  isOneWay: boolean
  /** The phrase counts only in capitals, because its word is also an ordinary word: `IT`, `OR`. */
  needsCapitals: boolean
}

/** How many other phrases a phrase can have in a project, because each costs time in every search. */
export const MAX_OTHERS = 6

/** A word or phrase of a rule. */
interface Phrase {
  text: string
  /** The keys of its units, joined by blanks. */
  key: string
  /** The key of its first unit. */
  first: string
  length: number
  needsCapitals: boolean
  canBeFound: boolean
}

/** Finds the phrases of some rules in questions. What a question costs hardly depends on the number of rules and projects. */
export class SynonymMatcher {
  readonly #entries = new Map<string, (SynonymEntry & { others: string[] })[]>()
  /** The number of units of the longest phrase that begins with a unit. */
  readonly #longest = new Map<string, number>()
  /** The projects that have a phrase with a word, by the key of the word. */
  readonly #words = new Map<string, Set<string | null>>()
  readonly #source: RuleSource
  #size = 0

  constructor(source: RuleSource) {
    this.#source = source
  }

  /** The number of characters of the phrases that it finds in questions. */
  get size(): number {
    return this.#size
  }

  /** Add the rules of a project one after the other. `projectId` is null for the shipped rules. */
  add({ words, expandsTo }: SynonymRule, projectId: string | null): void {
    const toPhrases = (texts: readonly string[]) => texts.map((text) => toPhrase(text, this.#source))
    const phrases = toPhrases(words)
    const targets = (expandsTo === null ? phrases : toPhrases(expandsTo)).filter(({ canBeFound }) => canBeFound)
    for (const phrase of phrases) {
      const others = targets.filter(({ key }) => key !== phrase.key).map(({ text }) => text)
      if (phrase.length > 0 && others.length > 0) this.#add(phrase, { projectId, others, isOneWay: expandsTo !== null })
    }
  }

  /** Returns the phrases that begin with a unit. The units come from `unitsOf` for the source of the rules. */
  matchesAt(units: readonly Unit[], start: number): SynonymMatch[] {
    const longest = this.#longest.get(units[start]!.key)
    if (longest === undefined) return []
    const matches: SynonymMatch[] = []
    let key = ''
    for (let length = 1; length <= longest && start + length <= units.length; length++) {
      key += (length === 1 ? '' : ' ') + units[start + length - 1]!.key
      const entries = this.#entries.get(key)
      if (entries !== undefined) matches.push({ key, length, entries })
    }
    return matches
  }

  /** True if one of these projects, or of all when `projectIds` is null, has a phrase with the word. */
  hasWord(word: string, projectIds: ReadonlySet<string> | null): boolean {
    return unitsOf(tokenize(word), this.#source).every(({ key }) => {
      const having = this.#words.get(key)
      return having !== undefined && (projectIds === null || [...projectIds].some((id) => having.has(id)))
    })
  }

  #add({ key, first, text, length, needsCapitals }: Phrase, added: Omit<SynonymEntry, 'needsCapitals'>): void {
    const { projectId } = added
    const entries = this.#entries.get(key) ?? []
    this.#entries.set(key, entries)
    let entry = entries.findLast((one) => one.projectId === projectId && one.needsCapitals === needsCapitals)
    if (entry === undefined) entries.push((entry = { projectId, others: [], isOneWay: false, needsCapitals }))
    for (const other of added.others)
      if (entry.others.length < MAX_OTHERS && !entry.others.includes(other)) entry.others.push(other)
    entry.isOneWay ||= added.isOneWay
    this.#longest.set(first, Math.max(length, this.#longest.get(first) ?? 0))
    for (const word of key.split(' ')) this.#words.set(word, (this.#words.get(word) ?? new Set()).add(projectId))
    this.#size += text.length
  }
}

/** False for a user's rule by which no search could find anything more. */
export function hasEffect(rule: SynonymRule): boolean {
  const matcher = new SynonymMatcher('project')
  matcher.add(rule, null)
  return matcher.size > 0
}

/** Divides runs of Chinese, Japanese, Korean and Thai into characters, because nothing shows where a word begins. */
export function unitsOf(words: readonly Word[], source: RuleSource): Unit[] {
  return words.flatMap((word): Unit[] =>
    word.characters === null
      ? [{ word, key: keyOf(word, source), isCharacter: false, isJoined: false }]
      : word.characters.map((one, i) => ({ word: one, key: keyOf(one, source), isCharacter: true, isJoined: i > 0 })),
  )
}

function toPhrase(text: string, source: RuleSource): Phrase {
  const units = unitsOf(tokenize(text), source)
  const [only, ...more] = units
  const needsCapitals = only !== undefined && more.length === 0 && knownOf(only.word).capitals && isOrdinary(only.word, source)
  return {
    text,
    key: units.map(({ key }) => key).join(' '),
    first: only?.key ?? '',
    length: units.length,
    needsCapitals,
    canBeFound: !needsCapitals && canBeFound(units, source),
  }
}

/** Letter case of a user's words counts only for words that nearly every text has. */
function isOrdinary(word: Word, source: RuleSource): boolean {
  return isStop(word) || (source === 'built_in' && isCommon(knownOf(word).lower, ['english']))
}

/** False when the index can't tell the phrase from ordinary words: `IT`, or letters such as the ones of `T&C`. */
function canBeFound(units: readonly Unit[], source: RuleSource): boolean {
  const telling = units.filter(({ word }) => !isStop(word))
  const isTelling = ({ word, isCharacter }: Unit) => isCharacter || word.text.length > 1
  if (source === 'built_in') return telling.length > 0 && telling.every(isTelling)
  // A name may have a single letter or digit, such as `vitamin C` or `Model 3`.
  return telling.some((unit) => isTelling(unit) || /\p{N}/u.test(unit.word.text))
}

export function isStop(word: Word): boolean {
  return isStopWord(knownOf(word), { ...EVERY_LANGUAGE, latin: ['english'] })
}

/** A stem would take `local` for `localization`. */
function keyOf(word: Word, source: RuleSource): string {
  const folded = fold(knownOf(word).lower)
  if (isStop(word) || folded.length < 4) return folded
  const singular = folded.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
  return source === 'built_in' ? singular : withoutEnding(singular)
}

/** Removes a vowel or `en` from the end of a long word. In many languages, these are endings: `Verträge`, `contratti`, `договоры`. */
function withoutEnding(word: string): string {
  return word.length < 6 || !/^\p{L}+$/u.test(word) ? word : word.replace(/(?:en|[aeiouаеиоуыюя])$/u, '')
}
