import { decoderOf } from './decoders.ts'

/**
 * Languages in other than Latin letters: all their letters, the most common ones (about four fifths of any text), and their
 * single-byte encodings, the most common first.
 */
const SCRIPTS: readonly { letters: RegExp; common: string; encodings: readonly string[] }[] = [
  {
    letters: /[а-яё]/u,
    common: 'оеаинтсрвлкмдпуяы',
    encodings: ['windows-1251', 'koi8-r', 'ibm866', 'ibm855', 'iso-8859-5', 'x-mac-cyrillic'],
  },
  { letters: /[а-щьюяґєії]/u, common: 'оаинтврісекдлпумз', encodings: ['windows-1251', 'koi8-u'] },
  { letters: /[α-ωάέήίόύώϊϋΐΰ]/u, common: 'αοιετσνηυρπκμλςώίάόήέ', encodings: ['windows-1253', 'iso-8859-7'] },
  { letters: /[א-ת\u05b0-\u05c2]/u, common: 'יוהלאמרתבשנםחכדע', encodings: ['windows-1255'] },
  { letters: /[ء-ي\u064b-\u0652پچژگ]/u, common: 'اليمنوتربعدسفهكةأ', encodings: ['windows-1256', 'iso-8859-6'] },
  { letters: /[ก-ฺเ-๛]/u, common: 'านรอกเงมยลวดทสตะปบคหแไใโ่้ัีิ์ุึื', encodings: ['windows-874'] },
]
/** The right encoding scores at least this. All wrong ones score less. */
const MIN_SCORE = 0.6
const NO_LETTER = /[\0-\x7f\u0080-\u00bf×÷\u2010-\u203a№€]/gu
const WORDS = /[a-z\x80-\xff]+/gi

/**
 * Finds the single-byte encoding of a language in other than Latin letters. In the right encoding, the text has the common letters
 * of a language, and capitals where words have them. Null if most letters outside ASCII are in words with A to Z, or if no
 * encoding makes a language.
 */
export function scriptEncoding(bytes: Uint8Array): string | null {
  if (!hasOwnWords(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))) return null
  let best: { encoding: string; score: number } | null = null
  for (const { letters, common, encodings } of SCRIPTS) {
    for (const encoding of encodings) {
      const text = decoderOf(encoding)!.decode(bytes)
      const written = [...text.replace(NO_LETTER, '').toLowerCase()]
      if (written.length < 4) continue
      const own = written.filter((letter) => letters.test(letter)).length / written.length
      const frequent = written.filter((letter) => common.includes(letter)).length / written.length
      const score = own ** 2 * frequent * usualCaseShare(text)
      if (score >= MIN_SCORE && score > (best?.score ?? 0)) best = { encoding, score }
    }
  }
  return best?.encoding ?? null
}

/** True if most letters outside ASCII are in words without A to Z. Words of European languages in Latin letters all have one of A to Z. */
function hasOwnWords(text: string): boolean {
  let own = 0
  let mixed = 0
  for (const [word] of text.matchAll(WORDS)) {
    // eslint-disable-next-line no-control-regex
    const foreign = word.replace(/[\0-\x7f]/g, '').length
    if (foreign === word.length) own += foreign
    else mixed += foreign
  }
  return own > mixed
}

/** Returns the share of words in lower case, with a first capital, or all in capitals. In a wrong encoding, case is random. */
function usualCaseShare(text: string): number {
  const words = text.match(/[\p{L}]{2,}/gu) ?? []
  return words.filter((word) => /^(?:\p{Lu}?[^\p{Lu}]+|\p{Lu}+)$/u.test(word)).length / Math.max(words.length, 1)
}

/** The beginning of a file shows its encoding. */
const SAMPLE_BYTES = 8192
const LINE_OR_ESCAPE = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])
/** Characters of texts: letters with their marks, digits, punctuation, blanks, and signs of money and arithmetic. */
const TEXT = /[\p{L}\p{M}\p{N}\p{P}\p{Zs}\p{Sc}\p{Sm}\t\n\f\r]/gu
/**
 * Scripts whose UTF-16 has too few zero bytes. The check must be strict, because half of all pairs of random bytes are Han
 * characters.
 */
const EASTERN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\u3000-\u303f\uff00-\uffef\0-\x7f]/gu

/** Recognizes UTF-16 without a byte order mark; null for anything else. */
export function unmarkedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const sample = bytes.subarray(0, Math.min(bytes.length, SAMPLE_BYTES) & ~1)
  return byZeros(sample) ?? byControls(sample)
}

/** Recognizes text with Latin letters, blanks or line ends: in many of its byte pairs, one byte is zero. */
function byZeros(sample: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (sample.length < 4) return null
  let even = 0
  let odd = 0
  let ascii = 0
  for (let i = 0; i < sample.length; i += 2) {
    if (sample[i] === 0) even++
    if (sample[i + 1] === 0) odd++
    if (isAscii(sample[i]) && isAscii(sample[i + 1])) ascii++
  }
  const pairs = sample.length / 2
  // ASCII text with a few NULs is no UTF-16, although nearly all pairs of its letters would be Han characters.
  if (ascii > pairs / 2) return null
  // A pair of two zeros counts on both sides.
  const label =
    odd > pairs * 0.05 && even <= odd * 0.05 ? 'utf-16le' : even > pairs * 0.05 && odd <= even * 0.05 ? 'utf-16be' : null
  return label !== null && share(decode(sample, label), CONTROL) <= 0.01 ? label : null
}

/** Characters that a binary file with numbers is full of, when read as UTF-16. Its numbers have zero bytes too. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd-\uffff]/g

/**
 * Recognizes text without zero bytes, such as Chinese without blanks. It has bytes that no text in another encoding has, and all of
 * it is text in one of the two byte orders.
 */
function byControls(sample: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (sample.length < 8 || !sample.some((byte) => byte < 0x20 && !LINE_OR_ESCAPE.has(byte))) return null
  for (const label of ['utf-16le', 'utf-16be'] as const) {
    const text = decode(sample, label)
    if (share(text, TEXT) === 1 && share(text, EASTERN) > 0.95) return label
  }
  return null
}

function isAscii(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x20 && byte < 0x7f
}

function decode(sample: Uint8Array, label: string): string {
  // The sample can end within a character.
  return new TextDecoder(label).decode(sample).replace(/\ufffd$/, '')
}

function share(text: string, characters: RegExp): number {
  return (text.match(characters)?.join('').length ?? 0) / Math.max(text.length, 1)
}
