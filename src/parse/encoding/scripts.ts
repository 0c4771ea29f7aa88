/**
 * Languages that are not written in Latin letters: all their letters, the commonest of them (about four fifths of any text), and
 * the encodings of one byte in which they are written, the commonest first.
 */
const SCRIPTS: readonly { letters: RegExp; common: string; encodings: readonly string[] }[] = [
  {
    letters: /[а-яё]/u,
    common: 'оеаинтсрвлкмдпуяы',
    encodings: ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5', 'x-mac-cyrillic'],
  },
  { letters: /[а-щьюяґєії]/u, common: 'оаинтврісекдлпумз', encodings: ['windows-1251', 'koi8-u'] },
  { letters: /[α-ωάέήίόύώϊϋΐΰ]/u, common: 'αοιετσνηυρπκμλςώίάόήέ', encodings: ['windows-1253', 'iso-8859-7'] },
  { letters: /[א-ת\u05b0-\u05c2]/u, common: 'יוהלאמרתבשנםחכדע', encodings: ['windows-1255'] },
  { letters: /[ء-ي\u064b-\u0652پچژگ]/u, common: 'اليمنوتربعدسفهكةأ', encodings: ['windows-1256', 'iso-8859-6'] },
  { letters: /[ก-ฺเ-๛]/u, common: 'านรอกเงมยลวดทสตะปบคหแไใโ่้ัีิ์ุึื', encodings: ['windows-874'] },
]
/** Of the letters in the right encoding, and of all other readings fewer. */
const LEAST_SCORE = 0.6
const NO_LETTER = /[\0-\x7f\u0080-\u00bf×÷\u2010-\u203a№€]/gu
const WORDS = /[a-z\x80-\xff]+/gi

/**
 * Which of the encodings of one byte of the languages that are not written in Latin letters a text is in, by which of its
 * readings has the letters that are common in a language, in upper case where a word has it. Null where most of its foreign
 * letters stand beside A to Z, or no reading is a language.
 */
export function scriptEncoding(bytes: Uint8Array): string | null {
  if (!standsAlone(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))) return null
  let best: { encoding: string; score: number } | null = null
  for (const { letters, common, encodings } of SCRIPTS) {
    for (const encoding of encodings) {
      const text = new TextDecoder(encoding).decode(bytes)
      const written = [...text.replace(NO_LETTER, '').toLowerCase()]
      if (written.length < 4) continue
      const own = written.filter((letter) => letters.test(letter)).length / written.length
      const frequent = written.filter((letter) => common.includes(letter)).length / written.length
      const score = own ** 2 * frequent * usualCase(text)
      if (score >= LEAST_SCORE && score > (best?.score ?? 0)) best = { encoding, score }
    }
  }
  return best?.encoding ?? null
}

/** Words of foreign letters, not foreign letters in words: no European word in Latin letters is without one of A to Z. */
function standsAlone(text: string): boolean {
  let alone = 0
  let among = 0
  for (const [word] of text.matchAll(WORDS)) {
    // eslint-disable-next-line no-control-regex
    const foreign = word.replace(/[\0-\x7f]/g, '').length
    if (foreign === word.length) alone += foreign
    else among += foreign
  }
  return alone > among
}

/** Share of the words that are in lower case, capitalised or all in upper case: read in another encoding, case is at random. */
function usualCase(text: string): number {
  const words = text.match(/[\p{L}]{2,}/gu) ?? []
  return words.filter((word) => /^(?:\p{Lu}?[^\p{Lu}]+|\p{Lu}+)$/u.test(word)).length / Math.max(words.length, 1)
}
