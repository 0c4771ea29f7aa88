/** Decodes whole texts. Undecodable bytes become U+FFFD. */
export interface Decoder {
  readonly encoding: string
  decode(bytes: Uint8Array): string
}

/** The upper half of the Cyrillic code page of DOS that came before IBM866. */
const IBM855 =
  'ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐└┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u00adыЫзЗшШэЭщЩчЧ§■\u00a0'

// Johab, the Korean encoding of DOS and early word processors, has five bits each for the first, middle and last letter of a
// syllable. These are the places of the letters among the values of the five bits.
const JOHAB_VOWELS = [3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23, 26, 27, 28, 29]
const JOHAB_FINALS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]
const FIRST_SYLLABLE = 0xac00

/** Returns a decoder, also for the encodings that the Encoding Standard lacks; null for an unknown encoding. */
export function decoderOf(encoding: string): Decoder | null {
  if (encoding === 'ibm855') return { encoding, decode: decodeIbm855 }
  if (encoding === 'johab') return { encoding, decode: decodeJohab }
  try {
    return new TextDecoder(encoding)
  } catch {
    return null
  }
}

function decodeIbm855(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\xff]/g, (character) => IBM855.charAt(character.charCodeAt(0) - 0x80))
}

function decodeJohab(bytes: Uint8Array): string {
  const koreanStandard = new TextDecoder('euc-kr')
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/([\x80-\xff])([^]?)/g, (_all, first: string, second: string) => {
      const [lead, trail] = [first.charCodeAt(0), second === '' ? 0 : second.charCodeAt(0)]
      const inStandard = lead < 0xd9 ? null : standardOf(lead, trail)
      return inStandard === null ? syllableOf((lead << 8) | trail) : koreanStandard.decode(Uint8Array.from(inStandard))
    })
}

function syllableOf(code: number): string {
  const [initial, vowel, final] = [
    ((code >> 10) & 31) - 2,
    JOHAB_VOWELS.indexOf((code >> 5) & 31),
    JOHAB_FINALS.indexOf(code & 31),
  ]
  if (initial < 0 || initial > 18 || vowel < 0 || final < 0) return '\ufffd'
  return String.fromCharCode(FIRST_SYLLABLE + (initial * 21 + vowel) * 28 + final)
}

/** Returns the bytes in EUC-KR of a symbol or a Chinese character, which Johab has in the order of the Korean standard. */
function standardOf(lead: number, trail: number): [number, number] | null {
  const isLow = trail >= 0x31 && trail <= 0x7e
  if (lead === 0xdf || lead > 0xf9 || !(isLow || (trail >= 0x91 && trail <= 0xfe))) return null
  const row = lead < 0xe0 ? 2 * (lead - 0xd9) : 2 * lead - 0x197
  const cell = trail - (isLow ? 0x31 : 0x43)
  return [row + (cell < 0x5e ? 0 : 1) + 0xa1, (cell < 0x5e ? cell : cell - 0x5e) + 0xa1]
}
