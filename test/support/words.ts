import { randomInt } from 'node:crypto'

const LETTERS = 'bcdfghjklmnprtvwxz'

/**
 * A word that stands in no language and in no other document, without a vowel or an ending that a stemmer knows: whoever finds it has found the
 * document it was put into.
 */
export function rareWord(): string {
  return Array.from({ length: 14 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/** A short text that can be found by its words. */
export function textWith(...words: string[]): string {
  return `A note for the archive.\n\n${words.map((word) => `The password of the gate is ${word} and nobody has written it down.`).join('\n\n')}\n`
}
