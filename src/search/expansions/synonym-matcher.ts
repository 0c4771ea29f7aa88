import type { SynonymRule } from '../../core/synonyms.ts'
import { isCommon } from '../../text/common-words.ts'
import { EVERY_LANGUAGE, isStopWord } from '../../text/language.ts'
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

/** A phrase in a question, with the other phrases of its rules. */
export interface SynonymMatch {
  /** The number of units in the question. */
  length: number
  others: readonly string[]
  isOneWay: boolean
}

/** A word or phrase of a rule. */
interface Phrase {
  text: string
  /** The keys of its units, joined by blanks. */
  key: string
  /** The key of its first unit. */
  first: string
  length: number
  /** The phrase counts only in capitals, because its word is also an ordinary word: `IT`, `OR`. */
  needsCapitals: boolean
  canBeFound: boolean
}

interface Entry {
  phrase: Phrase
  targets: readonly Phrase[]
  isOneWay: boolean
}

/** Finds the phrases of some rules in questions. */
export class SynonymMatcher {
  readonly #entries = new Map<string, Entry[]>()
  /** The number of units of the longest phrase that begins with a unit. */
  readonly #longest = new Map<string, number>()
  readonly #words = new Set<string>()
  readonly #source: RuleSource
  #size = 0

  constructor(source: RuleSource) {
    this.#source = source
  }

  /** The number of characters of the phrases that it finds in questions. */
  get size(): number {
    return this.#size
  }

  add({ words, expandsTo }: SynonymRule): void {
    const toPhrases = (texts: readonly string[]) => texts.map((text) => toPhrase(text, this.#source))
    const phrases = toPhrases(words)
    const targets = (expandsTo === null ? phrases : toPhrases(expandsTo)).filter(({ canBeFound }) => canBeFound)
    for (const phrase of phrases) this.#add({ phrase, targets, isOneWay: expandsTo !== null })
  }

  /** Returns the matches that begin with a unit, the longest first. The units come from `unitsOf` for the source of the rules. */
  matchesAt(units: readonly Unit[], start: number): SynonymMatch[] {
    const longest = this.#longest.get(units[start]!.key)
    if (longest === undefined) return []
    const matches: SynonymMatch[] = []
    let key = ''
    for (let length = 1; length <= longest && start + length <= units.length; length++) {
      key += (length === 1 ? '' : ' ') + units[start + length - 1]!.key
      for (const { phrase, targets, isOneWay } of this.#entries.get(key) ?? []) {
        if (phrase.needsCapitals && !knownOf(units[start]!.word).capitals) continue
        const others = targets.filter((target) => target.key !== key).map(({ text }) => text)
        matches.unshift({ length, others, isOneWay })
      }
    }
    return matches
  }

  /** True if one of the phrases that it finds contains the word. */
  hasWord(word: string): boolean {
    return unitsOf(tokenize(word), this.#source).every(({ key }) => this.#words.has(key))
  }

  #add(entry: Entry): void {
    const { phrase } = entry
    const { key, first, length } = phrase
    if (length === 0 || entry.targets.every((target) => target.key === key)) return
    const entries = this.#entries.get(key)
    if (entries === undefined) this.#entries.set(key, [entry])
    else entries.push(entry)
    this.#longest.set(first, Math.max(length, this.#longest.get(first) ?? 0))
    for (const word of key.split(' ')) this.#words.add(word)
    this.#size += phrase.text.length
  }
}

/** False for a user's rule by which no search could find anything more. */
export function hasEffect(rule: SynonymRule): boolean {
  const matcher = new SynonymMatcher('project')
  matcher.add(rule)
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
