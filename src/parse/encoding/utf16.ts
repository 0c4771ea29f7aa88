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
