import type { Finds, Sought } from '../rerank/features.ts'
import type { Expansion, ProjectScope } from './expansions/expansion.ts'

/** Other words for some words of a question, as the reranker looks for them. */
export interface SoughtAlternative {
  /** The terms of each word. */
  words: readonly (readonly string[])[]
  /** The words of the question that a passage has as well when it has these words, by number. */
  own: readonly number[]
  scope: ProjectScope
}

/** Returns the other words of a question. `byTerm` numbers its words by their terms. */
export function alternativesOf(expansions: readonly Expansion[], byTerm: Sought['byTerm']): SoughtAlternative[] {
  return expansions.flatMap(({ own, alternatives }) => {
    const numbers = [...new Set(own.map((terms) => byTerm.get(terms[0]!)?.[0]).filter((number) => number !== undefined))]
    return alternatives.map(({ words, scope }) => ({ words, scope, own: numbers }))
  })
}

/** How many places the words of a phrase may take in addition to their number: function words, a plural with `and`. */
const SLACK = 3

/**
 * Adds the words of the question where a passage has other words for them: a single word, or all words of a phrase close together.
 * `places` and `terms` are parallel lists in the order of the text.
 */
export function addAlternatives(
  finds: Finds,
  { places, terms }: { places: readonly number[]; terms: readonly string[] },
  alternatives: readonly SoughtAlternative[],
): void {
  const added: { place: number; word: number }[] = []
  for (const { words, own } of alternatives)
    for (const place of placesOf(words, places, terms))
      for (const [i, word] of own.entries()) added.push({ place: place + i, word })
  if (added.length === 0) return
  const all = [...finds.places.map((place, i) => ({ place, word: finds.words[i]! })), ...added].toSorted(
    (a, b) => a.place - b.place,
  )
  finds.places = all.map(({ place }) => place)
  finds.words = all.map(({ word }) => word)
}

/** Returns where all words stand together, each place once. */
function placesOf(words: readonly (readonly string[])[], places: readonly number[], terms: readonly string[]): number[] {
  const found: number[] = []
  const last = words.map(() => -Infinity)
  for (const [i, term] of terms.entries()) {
    let isWord = false
    for (const [word, forms] of words.entries()) {
      if (!forms.includes(term)) continue
      last[word] = places[i]!
      isWord = true
    }
    if (!isWord) continue
    const first = Math.min(...last)
    if (places[i]! - first >= words.length + SLACK) continue
    found.push(first)
    // Each place of a word belongs to one phrase.
    last.fill(-Infinity)
  }
  return found
}
