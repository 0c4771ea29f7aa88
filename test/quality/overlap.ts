/** How well a text agrees with a reference. */
export interface Overlap {
  /** Share of the reference's words that the text has, counted with repetitions. */
  recall: number
  /** F1 of pairs of neighbouring words. Falls when words are in another order, joined or split. */
  bigramF1: number
  /** Number of words in the reference. */
  words: number
}

const TOKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+/gu

/** Returns the words in lower case, and single characters in scripts without spaces. */
export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(TOKEN) ?? []
}

export function overlap(reference: string, text: string): Overlap {
  const wanted = wordsOf(reference)
  const found = wordsOf(text)
  const shared = common(wanted, found)
  const pairs = common(bigrams(wanted), bigrams(found))
  const sum = Math.max(wanted.length - 1, 0) + Math.max(found.length - 1, 0)
  return {
    recall: wanted.length === 0 ? 1 : shared / wanted.length,
    bigramF1: sum === 0 ? 1 : (2 * pairs) / sum,
    words: wanted.length,
  }
}

/** Returns the share of the wanted text's pairs of neighbouring words that another text has, 0 to 1. */
export function pairsFound(wanted: string, text: string): number {
  const pairs = bigrams(wordsOf(wanted))
  return pairs.length === 0 ? 0 : common(pairs, bigrams(wordsOf(text))) / pairs.length
}

function bigrams(words: readonly string[]): string[] {
  return words.slice(1).map((word, i) => `${words[i]} ${word}`)
}

/** Returns the size of the intersection of two multisets. */
function common(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const item of a) counts.set(item, (counts.get(item) ?? 0) + 1)
  let shared = 0
  for (const item of b) {
    const left = counts.get(item) ?? 0
    if (left === 0) continue
    shared++
    counts.set(item, left - 1)
  }
  return shared
}
