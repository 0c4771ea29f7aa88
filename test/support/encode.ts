import { decoderOf } from '../../src/parse/encoding/decoders.ts'

/**
 * Encodes a text in an encoding that the platform can only decode. Looks each character up among the decoded values of one and two bytes.
 * Throws if the encoding lacks a character.
 */
export function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  const decoder = decoderOf(encoding)!
  const bytesOf = new Map<string, number[]>()
  for (let high = 0x80; high < 0x100; high++) {
    for (let low = 0x40; low < 0x100; low++) {
      const character = decoder.decode(Uint8Array.of(high, low))
      if ([...character].length === 1 && !bytesOf.has(character)) bytesOf.set(character, [high, low])
    }
  }
  for (let byte = 0; byte < 0x100; byte++) bytesOf.set(decoder.decode(Uint8Array.of(byte)), [byte])
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = bytesOf.get(character)
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`)
      return bytes
    }),
  )
}
