import { isUnspaced } from '../text/tokenize.ts'

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u
const EDGE = '[^\\p{L}\\p{M}\\p{N}]'
/** Characters that people and programs use for one another. */
const ALIKE = [`'’‘ʼ`, '-‐‑', '"“”„']

/**
 * Returns a phrase as a pattern for Rust's `regex`, which takes linear time whatever the pattern. Any white space matches a space, and
 * both ends match whole words only. The caller ignores letter case with the flag `i`.
 */
export function phrasePattern(phrase: string): string {
  const text = phrase.normalize('NFC').trim()
  const characters = [...text]
  const inside = text
    .split(/\s+/)
    .map((word) => [...word].map(characterPattern).join(''))
    .join('\\s+')
  const edge = (character: string | undefined) =>
    character !== undefined && WORD_CHARACTER.test(character) && !isUnspaced(character)
  return `${edge(characters[0]) ? `(?:^|${EDGE})` : ''}${inside}${edge(characters.at(-1)) ? `(?:$|${EDGE})` : ''}`
}

function characterPattern(character: string): string {
  const alike = ALIKE.find((group) => group.includes(character))
  if (alike !== undefined) return `[${[...alike].map(escape).join('')}]`
  const parts = character.normalize('NFD')
  return parts === character ? escape(character) : `(?:${escape(character)}|${[...parts].map(escape).join('')})`
}

function escape(character: string): string {
  return /[\\^$.*+?()[\]{}|#&~-]/.test(character) ? `\\${character}` : character
}
