/** What a stretch of one kind of character costs in tokens. */
interface Cost {
  word(letters: number): number
  digits(count: number): number
  /** A letter outside ASCII that stands in a word (é, я, α). */
  foreignLetter: number
  /** A character of a script without blanks, or anything else that is no letter. */
  symbol: number
  /** A character outside the Basic Multilingual Plane: emoji, rare Han. */
  astral: number
}

/** Words as people count them; long ones a little more, so that a passage of compounds is not twice as long as others. */
const WORDS: Cost = {
  word: (letters) => Math.max(1, Math.round(letters / 6)),
  digits: () => 1,
  foreignLetter: 0,
  symbol: 0,
  astral: 1,
}

/**
 * Tokens of a subword tokenizer, meant to err upwards, because what is too long is refused and stays without a vector. English prose is about 1.3
 * tokens a word of five letters, here 1.6. WordPiece and SentencePiece break unknown words into pieces of two to four letters, several models
 * take digits one by one, and English vocabularies take other alphabets letter by letter; what is in no vocabulary falls back to bytes.
 */
const SUBWORDS: Cost = {
  word: (letters) => (letters <= 20 ? Math.ceil(letters / 4) : Math.ceil(letters / 2)),
  digits: (count) => count,
  foreignLetter: 1,
  symbol: 1,
  astral: 4,
}

/** About the number of words; a Chinese or Japanese character counts as one. Linear, no allocation. */
export function countWords(text: string): number {
  return count(text, WORDS)
}

/** An estimate from above of the tokens of any of the models in registry.ts. Prefixes and special tokens are not in it. */
export function estimateSubwords(text: string): number {
  return count(text, SUBWORDS)
}

/** The beginning of a text that has at most so many tokens by `estimateSubwords`; no character is cut in two. */
export function cutToTokens(text: string, maxTokens: number): string {
  let cut = text
  for (let tokens = estimateSubwords(cut); tokens > maxTokens; tokens = estimateSubwords(cut)) {
    cut = cut.slice(0, Math.min(cut.length - 1, Math.floor((cut.length * maxTokens) / tokens)))
  }
  return cut.toWellFormed() === cut ? cut : cut.slice(0, -1)
}

function count(text: string, cost: Cost): number {
  let total = 0
  let letters = 0
  let digits = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 32
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
    const isDigit = code >= 48 && code <= 57
    const isForeign = code >= 0xc0 && code < 0x0e00
    if (isLetter || isForeign) letters++
    else if (letters > 0) {
      total += cost.word(letters)
      letters = 0
    }
    if (isDigit) digits++
    else if (digits > 0) {
      total += cost.digits(digits)
      digits = 0
    }
    if (isForeign) total += cost.foreignLetter
    else if (isLetter || isDigit || code <= 32 || code === 0xa0) continue
    else if (code >= 0xd800 && code <= 0xdfff) total += cost.astral / 2
    else if (isUnspaced(code)) total += 1
    else total += cost.symbol
  }
  return Math.ceil(total)
}

function isUnspaced(code: number): boolean {
  return (
    (code >= 0x0e00 && code < 0x1100) || (code >= 0x1780 && code < 0x1800) || (code >= 0x3040 && code < 0xd800) || code >= 0xff66
  )
}
