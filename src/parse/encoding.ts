import { detect } from 'jschardet'
import { latinEncoding } from './latin.ts'

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

const LATIN = /^(?:windows-125[0249]|iso-8859-(?:1|2|9|15|16))$/

/**
 * Text of unknown encoding: byte order mark, strict UTF-8, UTF-16 by its zeros, a statistical guess, windows-1252. Never
 * throws; what cannot be decoded becomes U+FFFD.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const marked = byMark(bytes)
  if (marked !== null) return { text: new TextDecoder(marked).decode(bytes), encoding: marked, confidence: 1 }
  const utf16 = utf16ByZeros(bytes)
  if (utf16 !== null) return { text: new TextDecoder(utf16).decode(bytes), encoding: utf16, confidence: 0.95 }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8', confidence: 1 }
  } catch {
    // Not UTF-8: guess.
  }
  const guess = detect(bytes.subarray(0, SAMPLE))
  const label = standardLabel(guess.encoding ?? '')
  // It knows few languages in Latin letters, and takes the others for one of those.
  const latin =
    guess.confidence < LEAST_CONFIDENCE || LATIN.test(label) || !PLAUSIBLE.test(label)
      ? latinEncoding(bytes.subarray(0, SAMPLE))
      : null
  if (latin !== null) return { text: new TextDecoder(latin).decode(bytes), encoding: latin, confidence: 0.7 }
  if (guess.confidence >= LEAST_CONFIDENCE && PLAUSIBLE.test(label)) {
    const decoder = decoderOf(label)
    if (decoder !== null) return { text: decoder.decode(bytes), encoding: decoder.encoding, confidence: round(guess.confidence) }
  }
  const asian = decodeShortAsian(bytes)
  return asian ?? { text: new TextDecoder(FALLBACK).decode(bytes), encoding: FALLBACK, confidence: 0.3 }
}

/** `utf-16le` or `utf-16be` where one byte of nearly every pair is zero, as with text in Latin letters. */
export function utf16ByZeros(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const length = Math.min(bytes.length, 8192) & ~1
  if (length < 4) return null
  let even = 0
  let odd = 0
  for (let i = 0; i < length; i += 2) {
    if (bytes[i] === 0) even++
    if (bytes[i + 1] === 0) odd++
  }
  const pairs = length / 2
  // Even text without Latin letters has spaces and line ends; a real NUL in it (both bytes zero) would count on both sides.
  const label =
    odd > pairs * 0.05 && even <= odd * 0.05 ? 'utf-16le' : even > pairs * 0.05 && odd <= even * 0.05 ? 'utf-16be' : null
  return label !== null && decodesToText(bytes.subarray(0, length), label) ? label : null
}

/** Numbers in a binary file have zeros too, but read as text they are full of control characters. */
function decodesToText(sample: Uint8Array, label: string): boolean {
  const text = new TextDecoder(label).decode(sample)
  // eslint-disable-next-line no-control-regex
  return (text.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd-\uffff]/g)?.length ?? 0) <= text.length * 0.01
}

/** The encoding a byte order mark names. */
export function byMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
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
  ['shift_jis', /[\u3041-\u3093日本語年月人国会中大一出]/g],
  ['euc-jp', /[\u3041-\u3093日本語年月人国会中大一出]/g],
  ['gb18030', /[的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小]/g],
  ['big5', /[的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小]/g],
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
