import { detect } from 'jschardet'
import { latinEncoding } from './latin.ts'
import { scriptEncoding } from './scripts.ts'
import { unmarkedUtf16 } from './utf16.ts'

export interface DecodedText {
  text: string
  encoding: string
  /** 0 to 1. */
  confidence: number
}

const SAMPLE = 200_000
/** Below this a guess is worth less than the commonest legacy encoding. */
const LEAST_CONFIDENCE = 0.5
const FALLBACK = 'windows-1252'
/** jschardet always answers. Nobody uploads mainframe or DOS text; its guesses of these are wrong guesses of something else. */
const PLAUSIBLE = /^(?!(?:cp|ibm)\d)/i

/** Share of common characters from which on a short text is Chinese, Japanese or Korean, whatever letters it could be. */
const SURE_OF_ASIAN = 0.3

const LATIN = /^(?:windows-125[0249]|iso-8859-(?:1|2|9|15|16))$/

/** In ISO-2022-JP everything is ASCII, and switches say which of it is Japanese. */
const ISO_2022_JP = /\x1b\$[@B][!-~]+\x1b\([BJ]/
/** So many good sequences of UTF-8 for one that is broken are no accident. */
const GOOD_FOR_BROKEN = 4

/**
 * Text of unknown encoding: byte order mark, UTF-16 by its zeros, strict UTF-8, UTF-8 with faults, a statistical guess, the
 * letters that languages have, windows-1252. Never throws; what cannot be decoded becomes U+FFFD.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const marked = byMark(bytes)
  if (marked !== null) return { text: new TextDecoder(marked).decode(bytes), encoding: marked, confidence: 1 }
  const utf16 = unmarkedUtf16(bytes)
  if (utf16 !== null) return { text: new TextDecoder(utf16).decode(bytes), encoding: utf16, confidence: 0.95 }
  const utf8 = decodeUtf8(bytes)
  if (utf8 !== null) return utf8
  const sample = bytes.subarray(0, SAMPLE)
  const guess = detect(sample)
  const label = standardLabel(guess.encoding ?? '')
  // It knows few languages in Latin letters, takes the others for one of those, and needs more than a few words of any other.
  if (guess.confidence >= LEAST_CONFIDENCE && PLAUSIBLE.test(label) && !LATIN.test(label)) {
    const decoder = decoderOf(label)
    if (decoder !== null) return { text: decoder.decode(bytes), encoding: decoder.encoding, confidence: round(guess.confidence) }
  }
  const latin = latinEncoding(sample)
  if (latin !== null) return decodeAs(latin, bytes, 0.7)
  const asian = decodeShortAsian(bytes)
  if (asian !== null && asian.confidence >= SURE_OF_ASIAN) return asian
  const script = scriptEncoding(sample)
  if (script !== null) return decodeAs(script, bytes, 0.6)
  if (guess.confidence >= LEAST_CONFIDENCE && LATIN.test(label)) return decodeAs(label, bytes, round(guess.confidence))
  return asian ?? decodeAs(FALLBACK, bytes, 0.3)
}

/** The encoding a byte order mark names. */
export function byMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/** Null for what is not UTF-8, or has more faults than a few. */
export function decodeUtf8(bytes: Uint8Array): DecodedText | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return ISO_2022_JP.test(text) ? decodeAs('iso-2022-jp', bytes, 1) : { text, encoding: 'utf-8', confidence: 1 }
  } catch {
    // Cut within a character, or with some bytes of another encoding among its own, it still is UTF-8.
    const text = new TextDecoder().decode(bytes)
    const broken = text.match(/\ufffd/g)?.length ?? 0
    const good = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
    return good >= broken * GOOD_FOR_BROKEN ? { text, encoding: 'utf-8', confidence: 0.9 } : null
  }
}

function decodeAs(encoding: string, bytes: Uint8Array, confidence: number): DecodedText {
  return { text: new TextDecoder(encoding).decode(bytes).normalize('NFC'), encoding, confidence }
}

/** jschardet's names in those of the Encoding Standard, which TextDecoder knows. */
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

/** What nearly every text of a language holds. */
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
  ['euc-kr', /[이다는을의가에한고하지로사은를기서어도리]/g],
]

/**
 * A few words are too little for statistics, but a text that decodes without a fault and is full of a language's commonest
 * characters is in that language.
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
      // Not in this encoding.
    }
  }
  return best
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(encoding)
  } catch {
    // An encoding outside the Encoding Standard: the caller falls back.
    return null
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
