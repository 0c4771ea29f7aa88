import { analyse, possibleTerms } from '../text/analyse.ts'
import { isUnspaced } from '../text/tokenize.ts'

/** What a question names exactly. */
export interface ExactQuestion {
  /** The question as the user typed it. It may be the name of a document. */
  name: string
  /**
   * The terms of a number or identifier, each with its forms, when the question is nothing else: `4711`, `b` and `4711b` for `4711-B`. A passage
   * with the same number has them one after the other.
   */
  identifier: readonly (readonly string[])[] | null
  /** True when each word is a number or an identifier. A vector knows nothing of such words. */
  hasOnlyIdentifiers: boolean
}

/** No identifier is longer. The time of the comparison grows with the length. */
const MAX_IDENTIFIER_CHARS = 100
const AROUND = /^["'“”„«»(<[]+|["'“”„«»)>\].,;:!?]+$/gu
const HAS_DIGIT = /\p{N}/u

/** Reads what a question names exactly. `query` is the question as the user typed it. */
export function exactQuestion(query: string): ExactQuestion {
  const name = query.trim()
  const word = name.replace(AROUND, '')
  const isIdentifier = /^\S+$/.test(word) && HAS_DIGIT.test(word) && !isUnspaced(word) && word.length <= MAX_IDENTIFIER_CHARS
  return {
    name,
    identifier: isIdentifier ? analyse(word).map(({ known }) => possibleTerms(known.lower)) : null,
    hasOnlyIdentifiers: hasOnlyIdentifiers(name),
  }
}

/** A word with a digit, an underscore or a capital within: a part number, a date, the name of a variable. */
const IDENTIFIER = /\p{N}|\S_\S|\p{Ll}\p{Lu}/u

function hasOnlyIdentifiers(query: string): boolean {
  const words = query.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.length > 0 && words.every((word) => IDENTIFIER.test(word) && !isUnspaced(word))
}
