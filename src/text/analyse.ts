// Written by the owner of text/: see the signatures other folders rely on.

/** Changes with every change of what `analyse` gives: part of an index's layout version. */
export const ANALYSER_VERSION = 1

export interface Token {
  /** The form under which it is indexed: folded and stemmed. */
  term: string
  /** Where it stands in the text, in UTF-16 code units. Several tokens may cover the same place (camelCase parts, bigrams). */
  start: number
  end: number
}

/** Every indexable token of a text, stop words left out. */
export function analyse(_text: string): Token[] {
  throw new Error('not written yet')
}

/** The terms of a question: like `analyse`, but a query of only stop words keeps them; each term once. */
export function analyseQuery(_query: string): string[] {
  throw new Error('not written yet')
}
