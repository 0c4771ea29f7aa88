import { englishRank } from './english-words.ts'

/** A name is at most this long when it is split. Longer names are no names, and the rest of them counts as it stands. */
const MAX_NAME_CHARS = 300
const MIN_WORD_CHARS = 3
const MAX_WORD_CHARS = 20
/** Short words must be common, because rare short ones are abbreviations that any letters may contain. */
const MAX_RANK_BY_LENGTH: Readonly<Record<number, number>> = { 3: 4_000, 4: 15_000, 5: 30_000 }
/** Added to the cost of each word, so that few long words are better than many short ones. */
const WORD_COST = 4.5

// A capital after a small letter, or before one, begins a word: `BestBuy`, `XMLReader`.
const CASE_CHANGE = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu
const DIGITS_END = /(?<=\p{N})(?=\p{L})/gu
const DIGITS_BEGIN = /(?<=\p{L})(?=\p{N})/gu
const RUN = /[\p{L}\p{M}\p{N}]+/gu
const LETTERS = /^[a-z]+$/

/**
 * Returns the words that a file's name consists of, in addition to the words that it shows: `best buy` for `BESTBUY`, `2024 Q2 Q 2` for
 * `2024Q2`. Splits at changes of letter case, next to digits, and where known English words meet.
 */
export function hiddenWords(name: string): string[] {
  const words: string[] = []
  for (const [run] of name.slice(0, MAX_NAME_CHARS).normalize('NFKC').matchAll(RUN)) {
    for (const part of run.split(CASE_CHANGE)) {
      const numbered = part.split(DIGITS_END)
      const pieces = numbered.flatMap((piece) => piece.split(DIGITS_BEGIN))
      const all = new Set([part, ...numbered, ...pieces])
      all.delete(run)
      words.push(...all, ...pieces.flatMap((piece) => knownWordsOf(piece.toLowerCase()) ?? []))
    }
  }
  return words
}

interface Split {
  cost: number
  /** Where its last word begins. */
  from: number
}

/**
 * Divides letters into known words of at least three letters, so that the words are as common as possible. Returns null for a known word, and
 * when there is no such division. The time grows with the length, because words have a maximum length.
 */
function knownWordsOf(letters: string): string[] | null {
  if (letters.length < 2 * MIN_WORD_CHARS || !LETTERS.test(letters) || englishRank(letters) !== null) return null
  const best: (Split | undefined)[] = [{ cost: 0, from: 0 }]
  for (let end = MIN_WORD_CHARS; end <= letters.length; end++) {
    for (let from = Math.max(0, end - MAX_WORD_CHARS); from <= end - MIN_WORD_CHARS; from++) {
      const before = best[from]
      if (before === undefined) continue
      const rank = englishRank(letters.slice(from, end))
      if (rank === null || rank > (MAX_RANK_BY_LENGTH[end - from] ?? Infinity)) continue
      const cost = before.cost + Math.log(rank + 10) + WORD_COST
      if (cost < (best[end]?.cost ?? Infinity)) best[end] = { cost, from }
    }
  }
  const words: string[] = []
  for (let end = letters.length; end > 0; end = best[end]!.from) {
    if (best[end] === undefined) return null
    words.unshift(letters.slice(best[end]!.from, end))
  }
  return words
}
