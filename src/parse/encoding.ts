import { detect } from 'jschardet'

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
const IMPLAUSIBLE = /^(cp|ibm)[-_]?\d+$/i
const PLAUSIBLE_CODE_PAGES = /^(cp|ibm)[-_]?(125\d|866|874|932|936|949|950)$/i

/**
 * Text of unknown encoding: byte order mark, strict UTF-8, UTF-16 by its zeros, a statistical guess, windows-1252.
 * Never throws; what cannot be decoded becomes U+FFFD.
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
  if (guess.encoding !== null && guess.confidence >= LEAST_CONFIDENCE && plausible(guess.encoding)) {
    const decoder = decoderOf(guess.encoding)
    if (decoder !== null) return { text: decoder.decode(bytes), encoding: decoder.encoding, confidence: round(guess.confidence) }
  }
  return { text: new TextDecoder(FALLBACK).decode(bytes), encoding: FALLBACK, confidence: 0.3 }
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
  if (odd > pairs * 0.05 && even <= odd * 0.05) return 'utf-16le'
  if (even > pairs * 0.05 && odd <= even * 0.05) return 'utf-16be'
  return null
}

/** The encoding a byte order mark names. */
export function byMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

function plausible(encoding: string): boolean {
  return !IMPLAUSIBLE.test(encoding) || PLAUSIBLE_CODE_PAGES.test(encoding)
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
