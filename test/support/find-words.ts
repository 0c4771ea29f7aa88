import type { Finds, Sought } from '../../src/rerank/features.ts'

/** Returns where the terms of a passage have the words of a question. */
export function findWords(terms: readonly string[], titleLength: number, { byTerm }: Sought): Finds {
  const finds: Finds = {
    places: [],
    words: [],
    length: terms.length,
    titleLength,
    ownTitleLength: titleLength,
    titleTrust: 1,
    named: [],
  }
  for (const [place, term] of terms.entries()) {
    for (const word of byTerm.get(term) ?? []) {
      finds.places.push(place)
      finds.words.push(word)
    }
  }
  return finds
}
