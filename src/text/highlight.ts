import { eachEntry, initialsOf, termOf } from './analyse.ts'
import { hashSmallLetter, knownAt, listingAt } from './known.ts'
import { LanguageGuess, type Languages } from './language.ts'
import { codesOf, pushOther, type Word } from './tokenize.ts'

const UNSPACED_CHARACTER =
  /^[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}]$/u

/**
 * Finds the words of a query in each text. Returns sorted spans [start, end) in UTF-16 code units that neither overlap nor touch.
 * `queryTerms` comes from `analyseQuery`. Single Chinese, Japanese, Korean or Thai characters are marked only if the query has no
 * longer terms, because they occur everywhere.
 */
export function highlight(texts: readonly string[], queryTerms: readonly string[]): [number, number][][] {
  const longer = queryTerms.filter((term) => !UNSPACED_CHARACTER.test(term))
  const terms = new TermFinder(longer.length > 0 ? longer : queryTerms)
  return texts.map((text) => merge(terms.placesIn(text)))
}

/** The time of 60,000 English letters is at most 3 ms. */
const QUICK_LETTERS = 60_000
/** Measured: Chinese and Korean take up to forty times as long as English, and part numbers up to twenty times. */
const LETTERS_PER_OTHER = 20

/** Returns whether `highlight` takes so little time for these texts that the main thread can call it. */
export function isQuickToHighlight(texts: readonly string[]): boolean {
  let letters = 0
  for (const text of texts)
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      // Words with any other character are analysed. Most English words are only counted.
      const isQuick = code <= 0x20 || (code < 128 && (KINDS[code]! & (SMALL | CAPITAL)) !== 0)
      letters += isQuick ? 1 : LETTERS_PER_OTHER
      if (letters > QUICK_LETTERS) return false
    }
  return true
}

function merge(places: { start: number; end: number }[]): [number, number][] {
  const spans: [number, number][] = []
  for (const { start, end } of places.sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else spans.push([start, end])
  }
  return spans
}

/** Finds the places of terms in texts. */
export class TermFinder {
  readonly #terms: ReadonlySet<string>
  readonly #initials: Uint8Array

  constructor(terms: Iterable<string>) {
    this.#terms = new Set(terms)
    this.#initials = initialsOf(this.#terms)
  }

  /** Returns where a text has tokens with one of the terms, as `analyse` finds them. Most other words are only counted. */
  placesIn(text: string): { start: number; end: number }[] {
    const [terms, initials] = [this.#terms, this.#initials]
    const { words, languages } = wordsBeginningWith(initials, text)
    const places: { start: number; end: number }[] = []
    eachEntry(text, words, languages, (known, { start, end }) => {
      if (known.ascii && initials[known.lower.charCodeAt(0)] === 0) return
      if (terms.has(termOf(known, languages))) places.push({ start, end })
    })
    return places
  }
}

/** What an ASCII character is in a word. Others are 0. */
const SMALL = 1
const CAPITAL = 2
const DIGIT = 4
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return SMALL
  return /[A-Z]/.test(character) ? CAPITAL : /[0-9]/.test(character) ? DIGIT : 0
})
/** Characters that may join two words (analyse.ts). */
const JOINTS = Uint8Array.from({ length: 128 }, (_, code) => ('-_.,'.includes(String.fromCharCode(code)) ? 1 : 0))

/**
 * Returns the words of a text that begin with one of these characters, and all words that may be compounds, parts of compounds or not ASCII.
 * `initials` has a 1 for each wanted character, in small letters. Also guesses the languages of the whole text. No objects are made for the
 * other words, so this takes a fraction of the time of `tokenize`.
 */
function wordsBeginningWith(initials: Uint8Array, text: string): { words: Word[]; languages: Languages } {
  const words: Word[] = []
  const guess = new LanguageGuess()
  const codes = codesOf(text)
  for (let at = 0; at < text.length;) {
    let end = at
    let hash = 0
    let kinds = 0
    for (let code = codes[at]!; code < 128 && KINDS[code] !== 0; code = codes[end]!) {
      // A first capital counts as a small letter.
      kinds |= end === at && KINDS[code] === CAPITAL ? SMALL : KINDS[code]!
      hash = hashSmallLetter(hash, code)
      end++
    }
    if (codes[end]! > 127) {
      const known = words.length
      at = pushOther(text, at, words)
      for (let i = known; i < words.length; i++) guess.addOther(words[i]!)
      continue
    }
    if (end === at) {
      at++
      continue
    }
    guess.addAscii(listingAt(codes, at, end, hash))
    const isMixed = (kinds & (kinds - 1)) !== 0
    if (initials[codes[at]! | 0x20] === 1 || isMixed || isJoined(codes, at, end)) {
      const known = knownAt(text, codes, at, end, hash)
      words.push({ text: known.text, start: at, end, characters: null, known })
    }
    at = end
  }
  return { words, languages: guess.result() }
}

/** Returns whether one character lies between a word and the next or previous word, and may join them. */
function isJoined(codes: Uint16Array, start: number, end: number): boolean {
  if (isJoint(codes[end]!) && isInWord(codes[end + 1]!)) return true
  return start >= 2 && isJoint(codes[start - 1]!) && isInWord(codes[start - 2]!)
}

/** True for every character that is not ASCII, because some of them are hyphens. */
function isJoint(code: number): boolean {
  return code > 127 || JOINTS[code] === 1
}

/** True for every character that is not ASCII, because most of them are letters. */
function isInWord(code: number): boolean {
  return code > 127 || KINDS[code] !== 0
}
