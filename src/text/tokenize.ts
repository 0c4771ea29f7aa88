import { knownAt, type KnownWord } from './known.ts'

/** A word, or a run of a script that is written without blanks. */
export interface Word {
  /** Normalized by NFKC, with its letter case. For a run: its characters, normalized one by one. */
  text: string
  /** UTF-16 offsets into the original text. */
  start: number
  end: number
  /** The characters of a run of Han, Kana, Hangul, Thai or a similar script; null for an ordinary word. */
  characters: Word[] | null
  /** See `knownOf`. */
  known: KnownWord | null
}

// PDFs are full of soft hyphens and joiners within words, which mean nothing in a search.
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}\u00AD\u200C\u200D\u2060]*/uy
const NOT_WORD = /[^\p{L}\p{M}\p{N}]+/gu

// Script extensions (scx), because the prolonged sound mark and similar characters belong to the run around them.
const UNSPACED = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u')
const PIECE = new RegExp(`[${UNSPACED}](?:[${UNSPACED}]|\\p{M})*|(?:(?![${UNSPACED}]).)+`, 'gsu')
// A character as readers see it: a conjoined Hangul syllable, or a code point with its marks, including half-width voicing marks.
const CHARACTER =
  /[\u1100-\u115F\uA960-\uA97C]+[\u1160-\u11A7\uD7B0-\uD7C6]*[\u11A8-\u11FF\uD7CB-\uD7FB]*|.[\p{M}\uFF9E\uFF9F]*/gsu

/** True for a word with characters of Chinese, Japanese, Korean, Thai and similar scripts, which have no blanks between words. */
export function isUnspaced(word: string): boolean {
  return HAS_UNSPACED.test(word)
}

/** Returns the words of a text in order. Each word is normalized by itself, because NFKC can change lengths and offsets must not change. */
export function tokenize(text: string): Word[] {
  const words: Word[] = []
  const codes = codesOf(text)
  for (let at = 0; at < text.length;) {
    let end = at
    let hash = 0
    for (let code = codes[at]!; code < 128 && ALPHANUMERIC[code] === 1; code = codes[end]!) {
      hash = Math.imul(hash ^ code, 0x01000193)
      end++
    }
    if (end > at && codes[end]! <= 127) {
      // Most words end here. The regular expression below gives the same result at five times the cost.
      const known = knownAt(text, codes, at, end, hash)
      words.push({ text: known.text, start: at, end, characters: null, known })
      at = end
      continue
    }
    if (end === at && codes[at]! < 128) {
      at++
      continue
    }
    at = pushOther(text, at, words)
  }
  return words
}

/** Adds the word at a place, if there is one, whatever its characters are. Returns the place after it. */
export function pushOther(text: string, at: number, words: Word[]): number {
  WORD.lastIndex = at
  const raw = WORD.exec(text)?.[0]
  if (raw === undefined) return at + (text.codePointAt(at)! > 0xffff ? 2 : 1)
  if (HAS_UNSPACED.test(raw)) splitScripts(raw, at, words)
  else pushWord(raw, at, words)
  return at + raw.length
}

/** A reused buffer with room for the longest passage. Longer texts get their own. */
const buffer = new Uint16Array(1 << 15)

/**
 * Returns the text's UTF-16 code units, followed by a 0. They are valid until the next call. Reading them from an array costs a
 * fraction of reading them from the string.
 */
export function codesOf(text: string): Uint16Array {
  const codes = text.length < buffer.length ? buffer : new Uint16Array(text.length + 1)
  Buffer.from(codes.buffer).write(text, 'utf16le')
  codes[text.length] = 0
  return codes
}

const ALPHANUMERIC = Uint8Array.from({ length: 128 }, (_, code) => (/[0-9A-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0))

function pushWord(raw: string, start: number, words: Word[]): void {
  const text = raw.normalize('NFKC').replace(NOT_WORD, '')
  if (text !== '') words.push({ text, start, end: start + raw.length, characters: null, known: null })
}

function splitScripts(raw: string, offset: number, words: Word[]): void {
  for (const { 0: piece, index } of raw.matchAll(PIECE)) {
    const start = offset + index
    if (!HAS_UNSPACED.test(piece)) {
      pushWord(piece, start, words)
      continue
    }
    const characters: Word[] = []
    for (const { 0: character, index: at } of piece.matchAll(CHARACTER)) pushWord(character, start + at, characters)
    const text = characters.map((character) => character.text).join('')
    if (text !== '') words.push({ text, start, end: start + piece.length, characters, known: null })
  }
}
