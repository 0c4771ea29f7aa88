import { createReadStream } from 'node:fs'

/** A larger value can't be a record of an export. */
const MAX_CHARS = 256_000_000

/**
 * Yields the values of a JSON array in a file one by one, because the array may be longer than a string can be. Throws SyntaxError for anything but an
 * array.
 */
export async function* readJsonArray(file: string): AsyncGenerator<unknown> {
  let [depth, start, isInText, isEscaped, isEnded] = [0, -1, false, false, false]
  let text = ''
  let at = 0
  for await (const part of createReadStream(file, { encoding: 'utf8', highWaterMark: 1024 * 1024 }) as AsyncIterable<string>) {
    text += part
    for (; at < text.length; at++) {
      const character = text[at]!
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (character === '\\') isEscaped = true
        else if (character === '"') isInText = false
        continue
      }
      if (isEnded || depth === 0) {
        if (/\s|\ufeff/.test(character)) continue
        if (isEnded || character !== '[') throw new SyntaxError('the file is not a JSON array')
        depth = 1
        continue
      }
      const isEnd = depth === 1 && (character === ',' || character === ']')
      if (isEnd) {
        if (start >= 0) yield JSON.parse(text.slice(start, at))
        else if (character === ',') throw new SyntaxError('the array has an empty place')
        text = text.slice(at + 1)
        at = -1
        start = -1
        if (character === ']') isEnded = true
        continue
      }
      if (start < 0 && !/\s/.test(character)) start = at
      if (character === '"') isInText = true
      else if (character === '{' || character === '[') depth++
      else if (character === '}' || character === ']') depth--
    }
    if (text.length > MAX_CHARS) throw new SyntaxError('a value of the array is too large')
  }
  if (!isEnded) throw new SyntaxError('the file ends early')
}
