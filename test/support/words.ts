import { randomInt } from 'node:crypto'

const LETTERS = 'bcdfghjklmnprtvwxz'

/**
 * Returns a word of no language that occurs in no other document. It has no vowel and no ending that a stemmer removes, so a search for it
 * finds exactly the document that contains it.
 */
export function rareWord(): string {
  return Array.from({ length: 14 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/** Returns a short text with these words. */
export function textWith(...words: string[]): string {
  return `A note for the archive.\n\n${words.map((word) => `The password of the gate is ${word} and nobody has written it down.`).join('\n\n')}\n`
}

/** Returns the text as a file in rich text format. A worker that does not write the index reads such a file, and leaves plain text to the writer. */
export function asRichText(text: string): string {
  const escaped = text.replaceAll(/[\\{}]/g, String.raw`\$&`).replaceAll(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0)}?`)
  return String.raw`{\rtf1\ansi ${escaped.replaceAll('\n', '\\par\n')}}`
}
