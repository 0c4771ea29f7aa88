import { hashSmallLetter, knownAt, listingAt } from './known.ts'
import { LanguageGuess, type Languages } from './language.ts'
import { codesOf, pushOther, type Word } from './tokenize.ts'

/** What an ASCII character is in a word. Others are 0. */
const SMALL = 1
const CAPITAL = 2
const DIGIT = 4
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return SMALL
  return /[A-Z]/.test(character) ? CAPITAL : /[0-9]/.test(character) ? DIGIT : 0
})
/** Characters that may join two words (compounds.ts). */
const JOINTS = Uint8Array.from({ length: 128 }, (_, code) => ('-_.,'.includes(String.fromCharCode(code)) ? 1 : 0))

/**
 * Returns the words of a text that begin with one of these characters, and all words that may be compounds, parts of compounds or not ASCII.
 * `initials` has a 1 for each wanted character, in small letters. Also guesses the languages of the whole text. No objects are made for the
 * other words, so this takes a fraction of the time of `tokenize`.
 */
export function wordsBeginningWith(initials: Uint8Array, text: string): { words: Word[]; languages: Languages } {
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
