/** So much of a file tells what the rest is. */
const SAMPLE = 8192
const LINE_OR_ESCAPE = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])
/** What texts are made of: letters with their marks, digits, punctuation, blanks, and signs of money and arithmetic. */
const TEXT = /[\p{L}\p{M}\p{N}\p{P}\p{Zs}\p{Sc}\p{Sm}\t\n\f\r]/gu
/** Scripts that need UTF-16 to be seen in it by more than its zeros. The others are in few blocks, and half of all numbers are Han. */
const EASTERN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\u3000-\u303f\uff00-\uffef\0-\x7f]/gu

/** `utf-16le` or `utf-16be` for a text in it that does not say so; null for anything else. */
export function unmarkedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const sample = bytes.subarray(0, Math.min(bytes.length, SAMPLE) & ~1)
  return byZeros(sample) ?? byControls(sample)
}

/** One byte of many pairs is zero, as with text in Latin letters, or with blanks and line ends. */
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
  // Text in ASCII with a few NULs in it is no UTF-16, though nearly all pairs of its letters are Han characters.
  if (ascii > pairs / 2) return null
  // A real NUL (both bytes zero) would count on both sides.
  const label =
    odd > pairs * 0.05 && even <= odd * 0.05 ? 'utf-16le' : even > pairs * 0.05 && odd <= even * 0.05 ? 'utf-16be' : null
  return label !== null && share(decode(sample, label), CONTROL) <= 0.01 ? label : null
}

/** Numbers in a binary file have zeros too, but read as text they are full of these. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd-\uffff]/g

/**
 * Text of the East without blanks has no zeros, but bytes that no text in another encoding has: then the one of the two
 * readings of which all is text.
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
  // The sample may end within a character.
  return new TextDecoder(label).decode(sample).replace(/\ufffd$/, '')
}

function share(text: string, characters: RegExp): number {
  return (text.match(characters)?.join('').length ?? 0) / Math.max(text.length, 1)
}
