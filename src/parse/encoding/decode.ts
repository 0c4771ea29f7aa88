import { open, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { detect as Detect } from 'jschardet'
import { tooMuchText } from '../failures.ts'
import type { ParserLimits } from '../parser.ts'
import { decoderOf } from './decoders.ts'
import { scriptEncoding, unmarkedUtf16 } from './detect.ts'

export interface DecodedText {
  text: string
  encoding: string
  /** How certain the encoding is, from 0 to 1. */
  confidence: number
}

/** Loaded with the first text that is not UTF-8, because its tables have a megabyte. */
const require = createRequire(import.meta.url)
let detect: typeof Detect | null = null

const SAMPLE_BYTES = 200_000
/** Below this confidence, a guess of jschardet is worse than the most common legacy encoding. */
const MIN_CONFIDENCE = 0.5
const FALLBACK = 'windows-1252'
/** jschardet always answers. Its guesses of mainframe and DOS encodings are wrong, because nobody uploads such text. */
const PLAUSIBLE = /^(?!(?:cp|ibm)\d)/i

/** A short text with this share of common characters is Chinese, Japanese or Korean, even if it could be letters of another script. */
const MIN_ASIAN_SHARE = 0.3

const LATIN = /^(?:windows-125[0249]|iso-8859-(?:1|2|9|15|16))$/

/** ISO-2022-JP consists of ASCII characters. Escape sequences switch to Japanese and back. */
const ISO_2022_JP = /\x1b\$[@B][!-~]+\x1b\([BJ]/
/** With this many good sequences for each broken one, the text is UTF-8 with faults. */
const MIN_GOOD_PER_BROKEN = 4

/**
 * Decodes text of unknown encoding. It tries in this order: byte order mark, UTF-16 by its zero bytes, strict UTF-8, UTF-8 with
 * faults, a statistical guess, the letters of languages, windows-1252. Never throws: undecodable bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const marked = byMark(bytes)
  if (marked !== null) return { text: new TextDecoder(marked).decode(bytes), encoding: marked, confidence: 1 }
  const utf16 = unmarkedUtf16(bytes)
  if (utf16 !== null) return { text: new TextDecoder(utf16).decode(bytes), encoding: utf16, confidence: 0.95 }
  const utf8 = decodeUtf8(bytes)
  if (utf8 !== null) return utf8
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  // jschardet doesn't know it, and takes it for another encoding.
  if (isJohab(sample)) return decodeAs('johab', bytes, 0.8)
  detect ??= (require('jschardet') as { detect: typeof Detect }).detect
  const guess = detect(sample)
  const label = standardLabel(guess.encoding ?? '')
  // jschardet is wrong about Latin letters, because it knows few of their languages, and about texts of a few words.
  if (guess.confidence >= MIN_CONFIDENCE && PLAUSIBLE.test(label) && !LATIN.test(label)) {
    const decoder = decoderOf(label)
    if (decoder !== null) return { text: decoder.decode(bytes), encoding: decoder.encoding, confidence: round(guess.confidence) }
  }
  const latin = latinEncoding(sample)
  if (latin !== null) return decodeAs(latin, bytes, 0.7)
  const asian = decodeShortAsian(bytes)
  if (asian !== null && asian.confidence >= MIN_ASIAN_SHARE) return asian
  const script = scriptEncoding(sample)
  if (script !== null) return decodeAs(script, bytes, 0.6)
  if (guess.confidence >= MIN_CONFIDENCE && LATIN.test(label)) return decodeAs(label, bytes, round(guess.confidence))
  return asian ?? decodeAs(FALLBACK, bytes, 0.3)
}

/** Returns the encoding that the byte order mark names; null without one. */
export function byMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/** Decodes UTF-8, also with a few faults. Null if it is no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): DecodedText | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return ISO_2022_JP.test(text) ? decodeAs('iso-2022-jp', bytes, 1) : { text, encoding: 'utf-8', confidence: 1 }
  } catch {
    // A file that was cut within a character, or that has a few bytes of another encoding, is still UTF-8.
    const text = new TextDecoder().decode(bytes)
    const broken = text.match(/\ufffd/g)?.length ?? 0
    const good = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
    return good >= broken * MIN_GOOD_PER_BROKEN ? { text, encoding: 'utf-8', confidence: 0.9 } : null
  }
}

function decodeAs(encoding: string, bytes: Uint8Array, confidence: number): DecodedText {
  return { text: decoderOf(encoding)!.decode(bytes).normalize('NFC'), encoding, confidence }
}

/** Translates a name of jschardet into the Encoding Standard's, which TextDecoder knows. */
function standardLabel(name: string): string {
  const lower = name.toLowerCase()
  if (/^(cp949|uhc)$/.test(lower)) return 'euc-kr'
  if (/^(cp932|ms932)$/.test(lower)) return 'shift_jis'
  if (/^(cp936|gb2312)$/.test(lower)) return 'gb18030'
  if (lower === 'cp950') return 'big5'
  if (lower === 'cp874') return 'windows-874'
  if (lower === 'maccyrillic') return 'x-mac-cyrillic'
  return lower.replace(/^cp(125\d)$/, 'windows-$1').replace(/^iso8859-?/, 'iso-8859-')
}

/** Syllables that make up a third of any Korean text. */
const KOREAN = /[이다는을의가에한고하지로사은를기서어도리]/g
/** Characters that nearly every text of a language contains. */
const COMMON: readonly [label: string, characters: RegExp][] = [
  ['shift_jis', /[\u3041-\u3093\u30a1-\u30fc日本語年月人国会中大一出田山川村木本郎子円東京株式社請求書]/g],
  ['euc-jp', /[\u3041-\u3093\u30a1-\u30fc日本語年月人国会中大一出田山川村木本郎子円東京株式社請求書]/g],
  [
    'gb18030',
    /[的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小北京上海市有限公司合同租]/g,
  ],
  [
    'big5',
    /[的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小北京臺灣市有限公司合約]/g,
  ],
  ['euc-kr', KOREAN],
]

/** Of a text in another encoding, a smaller share would be these syllables. */
const MIN_KOREAN_SHARE = 0.15

/** True for a text of nothing but Korean when read as Johab, which has more of the common syllables than when read as EUC-KR. */
function isJohab(sample: Uint8Array): boolean {
  const [johab, standard] = ['johab', 'euc-kr'].map((encoding) => {
    const text = decoderOf(encoding)!.decode(sample)
    const foreign = text.match(/[^\0-\x7f]/gu)?.length ?? 0
    const isKorean = foreign >= 4 && (text.match(/[가-힣]/gu)?.length ?? 0) >= foreign * 0.95
    return isKorean ? (text.match(KOREAN)?.length ?? 0) / foreign : 0
  })
  return johab! >= MIN_KOREAN_SHARE && johab! > standard!
}

/**
 * Decodes a text that is too short for statistics. If it decodes without a fault and is full of a language's most common
 * characters, it is in that language.
 */
function decodeShortAsian(bytes: Uint8Array): DecodedText | null {
  let best: DecodedText | null = null
  for (const [label, characters] of COMMON) {
    try {
      const text = new TextDecoder(label, { fatal: true }).decode(bytes)
      const foreign = text.match(/[^\0-\x7f]/gu)?.length ?? 0
      const share = (text.match(characters)?.length ?? 0) / Math.max(foreign, 1)
      if (share > Math.max(0.08, best?.confidence ?? 0)) best = { text, encoding: label, confidence: Math.min(round(share), 0.9) }
    } catch {
      // The text is not in this encoding.
    }
  }
  return best
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/**
 * For each single-byte encoding, the letters of its languages in addition to A to Z, one string for each language. The most common
 * encoding comes first and wins where two give the same text.
 */
const LANGUAGES: readonly [encoding: string, letters: readonly string[]][] = [
  [
    'windows-1252',
    ['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíñóúü¿¡ºª', 'áàâãçéêíóôõúü', 'àèéìíòóù', 'æøåéü', 'åäöé', 'áðéíóúýþæö', 'àáèéëïöüñ'],
  ],
  ['windows-1250', ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'čćđšž', 'ăâîşţ', 'äöüß']],
  ['iso-8859-2', ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'čćđšž', 'ăâîşţ']],
  ['windows-1254', ['çğıöşüâîû']],
  ['windows-1257', ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž']],
  ['iso-8859-4', ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž']],
  ['iso-8859-16', ['ăâîșț']],
  ['iso-8859-3', ['ĉĝĥĵŝŭ', 'ċġħżàèìòù']],
  // In Vietnamese each tone is a combining mark after its letter.
  ['windows-1258', ['ăâđêôơưáàéèíóòúùý\u0300\u0301\u0303\u0309\u0323']],
  ['macintosh', ['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíñóúü¿¡ºª', 'áàâãçéêíóôõúü', 'àèéìíòóù', 'æøåéü', 'åäöé']],
]
/** A text is in a language if at least this share of its letters outside ASCII belongs to the language. */
const MIN_SHARE = 0.9
/** Characters that occur in every language. C1 controls are not among them: they occur in no text, so they count against an encoding. */
const NO_LETTER = /[\0-\x7f\u00a0«»§°©®\u2010-\u203a\u20ac]/g

/**
 * Finds the encoding of a European language in Latin letters by the letters that the text would have in each encoding. Null if the
 * text has too few such letters, or fits no language.
 */
function latinEncoding(bytes: Uint8Array): string | null {
  let best: { encoding: string; share: number } | null = null
  for (const [encoding, languages] of LANGUAGES) {
    const letters = new TextDecoder(encoding).decode(bytes).replace(NO_LETTER, '').toLowerCase()
    if (letters.length < 3) return null
    for (const language of languages) {
      let own = 0
      for (const letter of letters) if (language.includes(letter)) own++
      const share = own / letters.length
      if (share >= MIN_SHARE && share > (best?.share ?? 0)) best = { encoding, share }
    }
  }
  return best?.encoding ?? null
}

/** Reads and decodes a text file. Throws `too_much_text` without reading a file that is certainly too large. */
export async function readTextFile(file: string, limits: Pick<ParserLimits, 'textBytes'>): Promise<DecodedText> {
  const { size } = await stat(file)
  // No encoding needs more than twice the bytes of UTF-8.
  if (size > limits.textBytes * 2) throw tooMuchText(limits.textBytes)
  return decodeText(await readFile(file))
}

/** The share of the limit that a cut text keeps, because separators of cells make a table longer. */
const KEPT_SHARE = 0.8

/** Reads a text file, and cuts one that is too large for the limit on text at the end of a line. */
export async function readStartOfTextFile(
  file: string,
  { textBytes }: Pick<ParserLimits, 'textBytes'>,
): Promise<DecodedText & { isCut: boolean }> {
  const { size } = await stat(file)
  const decoded = decodeText(await readStart(file, Math.min(size, textBytes * 2)))
  const bytes = Buffer.byteLength(decoded.text)
  if (size <= textBytes * 2 && bytes <= textBytes) return { ...decoded, isCut: false }
  const kept = decoded.text.slice(0, Math.floor((decoded.text.length / bytes) * textBytes * KEPT_SHARE))
  return { ...decoded, text: kept.slice(0, kept.lastIndexOf('\n') + 1), isCut: true }
}

async function readStart(file: string, bytes: number): Promise<Uint8Array> {
  const handle = await open(file)
  try {
    const start = Buffer.alloc(bytes)
    let filled = 0
    while (filled < bytes) {
      const { bytesRead } = await handle.read(start, filled, bytes - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return start.subarray(0, filled)
  } finally {
    await handle.close()
  }
}
