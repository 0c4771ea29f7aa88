import { isDocsearchError } from '../core/errors.ts'
import { analyseQuery, initialsOf, possibleTerms, queryWords } from '../text/analyse.ts'
import { highlight } from '../text/highlight.ts'
import { tokenize } from '../text/tokenize.ts'
import { parseQuery } from './parse.ts'

/** Returns where a text contains a question's words, as a search would highlight them: spans in UTF-16 code units. */
export function marksOf(query: string, text: string): [number, number][] {
  return ofWords(query, (words) => highlight([text], analyseQuery(words))[0]!, [])
}

/** A passage that a search has found. */
export interface MarkedPassage {
  text: string
  highlights: readonly (readonly [start: number, end: number])[]
  /** Names and headings that belong to the passage. */
  about: string
}

/**
 * Returns whether one of the passages has all words of a question, in its text or in what it is about. Looks only at the highlights
 * of the texts, because searches have found the words in them already. Stop words don't count.
 */
export function hasAllWords(query: string, passages: readonly MarkedPassage[]): boolean {
  const words = ofWords(query, queryWords, []).filter(({ role }) => role === 'word')
  const wanted = new Set(words.flatMap(({ terms }) => terms))
  const initials = initialsOf(wanted)
  // Passages share names and words, and stemming in every language is slow.
  const termsOf = remembered((word) =>
    initials[word.charCodeAt(0)] === 0 ? [] : possibleTerms(word).filter((term) => wanted.has(term)),
  )
  const termsIn = remembered((part) => tokenize(part).flatMap(({ text }) => termsOf(text.toLowerCase())))
  const hasEach = ({ text, highlights, about }: MarkedPassage): boolean => {
    const parts = [about, ...highlights.map(([start, end]) => text.slice(start, end).toLowerCase())]
    const terms = new Set(parts.flatMap(termsIn))
    return words.every((word) => word.terms.some((term) => terms.has(term)))
  }
  return words.length === 0 || passages.some(hasEach)
}

/** Returns the same function, which computes each value once. */
function remembered<T>(compute: (key: string) => T): (key: string) => T {
  const values = new Map<string, T>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const value = compute(key)
    values.set(key, value)
    return value
  }
}

/** Calls `use` with the words of a question. A question with operators only has none. */
function ofWords<T>(query: string, use: (words: string) => T, none: T): T {
  try {
    return use(parseQuery(query).text)
  } catch (error) {
    if (isDocsearchError(error, 'invalid_query')) return none
    throw error
  }
}
