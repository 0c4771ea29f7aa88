/**
 * What the parts of a text cost in tokens of one tokenizer. Fitted to the tokenizer's own counts for 39 kinds of text, from prose in 24
 * languages to tables and base64 (bench/RESULTS.md has the errors).
 */
export interface TokenCosts {
  /** A word of Latin letters. */
  word: number
  /** Each letter of such a word beyond the fifth, and in addition each beyond the tenth. */
  longWord: number
  veryLongWord: number
  /** A letter like é. */
  accent: number
  /** A change between small letters, capitals and digits within a word, as in base64 and in names in code. */
  change: number
  digit: number
  /** An ASCII character that is no letter, digit or blank. */
  symbol: number
  foreignSymbol: number
  /** A line break, or more than one blank. */
  gap: number
  greek: number
  cyrillic: number
  armenian: number
  georgian: number
  hebrew: number
  arabic: number
  indic: number
  thai: number
  ethiopic: number
  hangul: number
  kana: number
  han: number
  otherLetter: number
  /** Half of a character outside the Basic Multilingual Plane: emoji, rare Han. */
  surrogate: number
}

/** The tokenizer of Gemma: SentencePiece with 262,000 tokens for all languages. */
export const GEMMA: TokenCosts = {
  word: 0.5,
  longWord: 0.4,
  veryLongWord: 0.17,
  accent: 1.03,
  change: 0.57,
  digit: 1.03,
  symbol: 0.99,
  foreignSymbol: 1.1,
  gap: 1.17,
  greek: 0.41,
  cyrillic: 0.28,
  armenian: 0.56,
  georgian: 0.42,
  hebrew: 0.55,
  arabic: 0.39,
  indic: 0.27,
  thai: 0.34,
  ethiopic: 0.83,
  hangul: 0.72,
  kana: 0.46,
  han: 0.66,
  otherLetter: 1,
  surrogate: 0.74,
}

/** The tokenizer of Qwen 3: byte pairs with 151,000 tokens. */
export const QWEN: TokenCosts = {
  word: 0.2,
  longWord: 0.63,
  veryLongWord: 0.92,
  accent: 0.62,
  change: 0.42,
  digit: 1.26,
  symbol: 0.57,
  foreignSymbol: 2.4,
  gap: 1.19,
  greek: 1.01,
  cyrillic: 0.39,
  armenian: 1.14,
  georgian: 1.13,
  hebrew: 0.45,
  arabic: 0.42,
  indic: 1.18,
  thai: 0.56,
  ethiopic: 1.12,
  hangul: 0.8,
  kana: 0.64,
  han: 0.52,
  otherLetter: 1,
  surrogate: 0.97,
}

const BLANK = 32
const LINE_FEED = 10
const NO_BREAK_SPACE = 0xa0

type CharacterKind = 'blank' | 'small' | 'capital' | 'digit' | 'symbol' | Scripts
type Scripts = Exclude<keyof TokenCosts, 'word' | 'longWord' | 'veryLongWord' | 'change' | 'digit' | 'symbol' | 'gap'>

/** Estimates the tokens of a text. Linear, in one pass. */
export function estimateTokens(text: string, costs: TokenCosts): number {
  let total = 0
  let letters = 0
  let blanks = 0
  let before: CharacterKind = 'blank'
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : BLANK
    const kind = kindOf(code)
    if (kind === 'blank') blanks += code === LINE_FEED ? 2 : 1
    else {
      if (blanks > 1) total += costs.gap
      blanks = 0
    }
    const isLatin = kind === 'small' || kind === 'capital' || kind === 'accent'
    if (isLatin) letters++
    else if (letters > 0) {
      total += costs.word + costs.longWord * Math.max(0, letters - 5) + costs.veryLongWord * Math.max(0, letters - 10)
      letters = 0
    }
    if (isChange(before, kind)) total += costs.change
    before = kind === 'accent' ? 'small' : kind
    if (kind !== 'blank' && kind !== 'small' && kind !== 'capital') total += costs[kind]
  }
  return Math.ceil(total)
}

/** A capital at the beginning of a word is no change. */
function isChange(before: CharacterKind, kind: CharacterKind): boolean {
  const now = kind === 'accent' ? 'small' : kind
  if (before === now || (before === 'capital' && now === 'small')) return false
  return isLetterOrDigit(before) && isLetterOrDigit(now)
}

function isLetterOrDigit(kind: CharacterKind): boolean {
  return kind === 'small' || kind === 'capital' || kind === 'digit'
}

function kindOf(code: number): CharacterKind {
  if (code <= BLANK || code === NO_BREAK_SPACE) return 'blank'
  if (code >= 97 && code <= 122) return 'small'
  if (code >= 65 && code <= 90) return 'capital'
  if (code >= 48 && code <= 57) return 'digit'
  return code < 0x80 ? 'symbol' : scriptOf(code)
}

/** The Unicode blocks up to the given code unit, in order. Blocks that hardly occur share the cost of a neighbour. */
const BLOCKS: readonly (readonly [before: number, kind: Scripts])[] = [
  [0xc0, 'foreignSymbol'],
  [0x370, 'accent'],
  [0x400, 'greek'],
  [0x530, 'cyrillic'],
  [0x590, 'armenian'],
  [0x600, 'hebrew'],
  [0x900, 'arabic'],
  [0xe00, 'indic'],
  [0x1000, 'thai'],
  [0x10a0, 'indic'],
  [0x1100, 'georgian'],
  [0x1200, 'hangul'],
  [0x1400, 'ethiopic'],
  [0x1780, 'otherLetter'],
  [0x1800, 'thai'],
  [0x1e00, 'otherLetter'],
  [0x1f00, 'accent'],
  [0x2000, 'greek'],
  [0x3040, 'foreignSymbol'],
  [0x3100, 'kana'],
  [0x3400, 'foreignSymbol'],
  [0xa000, 'han'],
  [0xac00, 'otherLetter'],
  [0xd800, 'hangul'],
  [0xe000, 'surrogate'],
  [0xf900, 'foreignSymbol'],
  [0xfb00, 'han'],
  [0xff00, 'arabic'],
  [0xff66, 'foreignSymbol'],
  [0x10000, 'kana'],
]

function scriptOf(code: number): Scripts {
  return BLOCKS.find(([before]) => code < before)![1]
}
