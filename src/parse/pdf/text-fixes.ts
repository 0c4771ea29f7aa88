const LIGATURES = /[\uFB00-\uFB06\uFB13-\uFB17\uFB1D-\uFDFF\uFE70-\uFEFC]/g
/** Symbol fonts have their bullets in the private use area. */
const BULLETS = /[\uF0B7\uF0A7\uF06E\uF0D8\uF076\uF0FC]/g
/** Old Thai fonts of Windows have letters and marks in other heights in the private use area, from U+F700. */
const THAI_VARIANTS = /[\uF700-\uF71A]/g
const THAI =
  'ฐ\u0E34\u0E35\u0E36\u0E37\u0E48\u0E49\u0E4A\u0E4B\u0E4C\u0E48\u0E49\u0E4A\u0E4B\u0E4Cญ\u0E31\u0E4D\u0E47\u0E48\u0E49\u0E4A\u0E4B\u0E4C\u0E38\u0E39\u0E3A'
const SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000\t]/g
const INVISIBLE = /[\u200B\u2060\u00AD]/g
/** PDFium writes U+FFFE for a hyphen at the end of a line, followed by the line break. */
const HYPHEN = /([\p{L}\p{M}]?)\uFFFE[\r\n]*(\p{Ll}?)/gu

/** Any of the above. Most lines have none, and one test costs less than five. */
const ODD = /[\u00A0\u00AD\u2000-\u200B\u202F\u205F\u2060\u3000\t\uE000-\uF8FF\uFB00-\uFFFE]/

/**
 * Turns text into the characters that a reader would type. Ligatures and presentation forms are decomposed (NFKC only for these, because
 * it would turn ² into 2), hyphenated words are joined, and special spaces become plain spaces.
 */
export function fixText(text: string): string {
  if (!ODD.test(text)) return text
  return text
    .replace(HYPHEN, (_all, before: string, after: string) => before + (before !== '' && after !== '' ? '' : '-') + after)
    .replace(LIGATURES, (character) => character.normalize('NFKC'))
    .replace(BULLETS, '•')
    .replace(THAI_VARIANTS, (character) => THAI.charAt(character.charCodeAt(0) - 0xf700))
    .replace(INVISIBLE, '')
    .replace(SPACES, ' ')
}

/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3000-\u303F\uFF00-\uFFEF]/u

/** Joins two lines of a paragraph. */
export function joinLines(first: string, second: string): string {
  // Tests only the end of the first text, which grows line by line.
  if (first.endsWith('-') && /\p{L}-$/u.test(first.slice(-3)) && /^\p{Ll}/u.test(second)) return first.slice(0, -1) + second
  if (UNSPACED.test(first.slice(-1)) && UNSPACED.test(second.slice(0, 1))) return first + second
  return `${first} ${second}`
}
