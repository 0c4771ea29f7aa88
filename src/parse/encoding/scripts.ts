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
