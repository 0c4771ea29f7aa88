import type { QueryWord } from '../text/analyse.ts'

/** A question as the features see it. */
export interface Sought {
  /** The distinct words, by number. */
  words: { idf: number }[]
  /** By term of a passage: the words it is a form of. */
  byTerm: ReadonlyMap<string, readonly number[]>
  /** Words that follow each other in the question, by number. In a passage they are a pair when they stand `from` to `to` terms apart. */
  pairs: { first: number; second: number; from: number; to: number; idf: number }[]
  /** Sum of the idf of the distinct words, which a passage with all of them gets. */
  total: number
}

/** Two words still belong together with one other word between them, most often a function word. */
const PAIR_GAP = 2
/** A part of a word, such as `max` of `maxTokens`, says less than a word of the question. The parts of `FY2018` say as much. */
const PART_WEIGHT = 0.5
const HAS_DIGIT = /\p{N}/u

/**
 * Numbers the words and pairs of a question. In scripts written without spaces it uses pairs of characters, because single
 * characters stand everywhere. The index has a character between two pairs, so consecutive pairs stand exactly two terms apart.
 */
export function soughtOf(words: readonly QueryWord[], idf: (term: string) => number): Sought {
  const telling = words.some((word) => word.role !== 'character') ? words.filter((word) => word.role !== 'character') : words
  const numbers = new Map<string, number>()
  const sought: Sought['words'] = []
  const byTerm = new Map<string, number[]>()
  /** Whether the word whose parts come next has no digits. */
  let isOfLetters = true
  const order = telling.map(({ terms, role }) => {
    if (role !== 'part') isOfLetters = !HAS_DIGIT.test(terms[0]!)
    const key = terms.join(' ')
    const known = numbers.get(key)
    if (known !== undefined) return known
    const number = sought.length
    numbers.set(key, number)
    // The most common form counts: the others are forms in other languages.
    sought.push({ idf: (role === 'part' && isOfLetters ? PART_WEIGHT : 1) * Math.min(...terms.map(idf)) })
    for (const term of terms) byTerm.set(term, [...(byTerm.get(term) ?? []), number])
    return number
  })
  const pairs = new Map<string, Sought['pairs'][number]>()
  for (let i = 1; i < order.length; i++) {
    const [first, second] = [order[i - 1]!, order[i]!]
    if (first === second) continue
    const exact = telling[i - 1]!.role === 'pair' && telling[i]!.role === 'pair'
    const mean = (sought[first]!.idf + sought[second]!.idf) / 2
    pairs.set(`${first} ${second}`, { first, second, from: exact ? 2 : 1, to: PAIR_GAP, idf: mean })
  }
  return { words: sought, byTerm, pairs: [...pairs.values()], total: sought.reduce((sum, word) => sum + word.idf, 0) }
}

/** Where a passage contains the question's words: two parallel lists, ordered by place. */
export interface Finds {
  places: number[]
  words: number[]
  /** Number of terms in the passage. */
  length: number
  /** Number of terms in its title and headings, which come first. */
  titleLength: number
  /** How many of these are in the title, which comes before the headings. */
  ownTitleLength: number
  /** How much the title counts, 0 to 1: little when many documents share it. */
  titleTrust: number
  /** The words that the name of its document has. */
  named: readonly number[]
}

/** Okapi's saturation: a second match says less than the first, and in a long passage each match says less. */
export type Saturate = (count: number) => number

/** Scores neighbouring words of the question that are neighbours in the passage, in the same order. */
export function pairScore({ places, words }: Finds, { pairs }: Sought, saturate: Saturate): number {
  let score = 0
  for (const { first, second, from, to, idf } of pairs) {
    let count = 0
    for (let i = 0; i < places.length; i++) {
      if (words[i] !== first) continue
      for (let j = i + 1; j < places.length && places[j]! - places[i]! <= to; j++) {
        if (words[j] !== second || places[j]! - places[i]! < from) continue
        count++
        break
      }
    }
    if (count > 0) score += idf * saturate(count)
  }
  return score
}

/** Scores how close different words stand together (Büttcher, Clarke, Lushman 2006: Term proximity scoring for ad-hoc retrieval). */
export function proximityScore({ places, words }: Finds, sought: Sought, saturate: Saturate): number {
  const near = new Float64Array(sought.words.length)
  for (let i = 1; i < places.length; i++) {
    const [a, b] = [words[i - 1]!, words[i]!]
    const distance = places[i]! - places[i - 1]!
    if (a === b || distance === 0) continue
    near[a]! += sought.words[b]!.idf / distance ** 2
    near[b]! += sought.words[a]!.idf / distance ** 2
  }
  return near.reduce((sum, count, word) => (count === 0 ? sum : sum + Math.min(1, sought.words[word]!.idf) * saturate(count)), 0)
}

/** Returns the sum of the idf of the words from place `from` up to, not including, place `to`. */
export function coverage({ places, words }: Finds, sought: Sought, from: number, to: number): number {
  const seen = new Set<number>()
  let sum = 0
  for (let i = 0; i < places.length; i++) {
    if (places[i]! < from || places[i]! >= to || seen.has(words[i]!)) continue
    seen.add(words[i]!)
    sum += sought.words[words[i]!]!.idf
  }
  return sum
}

/** Returns the sum of the idf of the words that the passage or the name of its document has. */
export function fullCoverage(finds: Finds, { words }: Sought): number {
  return sumOf(new Set([...finds.words, ...finds.named]), words)
}

/** Returns the sum of the idf of the words in the title, the headings and the document's name. A word that only the title has counts as much as the title. */
export function titleCoverage({ places, words, titleLength, ownTitleLength, titleTrust, named }: Finds, sought: Sought): number {
  const [sure, inTitle] = [new Set(named), new Set<number>()]
  for (let i = 0; i < places.length; i++) {
    if (places[i]! >= titleLength) continue
    if (places[i]! < ownTitleLength) inTitle.add(words[i]!)
    else sure.add(words[i]!)
  }
  for (const word of sure) inTitle.delete(word)
  return sumOf(sure, sought.words) + titleTrust * sumOf(inTitle, sought.words)
}

function sumOf(numbers: ReadonlySet<number>, words: Sought['words']): number {
  let sum = 0
  for (const number of numbers) sum += words[number]!.idf
  return sum
}

/** Returns the highest `coverage` of any `size` consecutive terms of the text, title and headings excluded. */
export function windowCoverage({ places, words, titleLength }: Finds, sought: Sought, size: number): number {
  const inside = new Int32Array(sought.words.length)
  let best = 0
  let sum = 0
  let left = 0
  for (let right = 0; right < places.length; right++) {
    if (places[right]! < titleLength) {
      left = right + 1
      continue
    }
    if (inside[words[right]!]!++ === 0) sum += sought.words[words[right]!]!.idf
    for (; places[right]! - places[left]! >= size; left++) {
      if (--inside[words[left]!]! === 0) sum -= sought.words[words[left]!]!.idf
    }
    best = Math.max(best, sum)
  }
  return best
}

/** Returns the share of title and headings that the question names, 0 to 1. Function words count as terms of the title, too. */
export function titleShare({ places, titleLength, titleTrust }: Finds): number {
  const named = new Set(places.filter((place) => place < titleLength)).size
  return titleLength === 0 ? 0 : titleTrust * Math.min(1, named / titleLength)
}
