import { isUnspaced } from '../text/tokenize.ts'

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u
const EDGE = '[^\\p{L}\\p{M}\\p{N}]'
/** Characters that people and programs use for one another. */
const ALIKE = [`'’‘ʼ`, '-‐‑', '"“”„']

/** Patterns for Rust's `regex`, which takes linear time for every pattern. Pass the flag `i` to ignore letter case. */
export interface PhrasePatterns {
  /** Matches any of the phrases, also as part of longer words. */
  anywhere: string
  /** Matches any of the phrases as whole words. Several times slower, because almost any character can precede a phrase. */
  wholeWords: string
}

/** Returns patterns for any of the phrases. White space in a phrase matches any white space. */
export function phrasePatterns(phrases: readonly string[]): PhrasePatterns {
  const parts = phrases.map((phrase) => {
    const text = phrase.normalize('NFC').trim()
    const words = text.split(/\s+/).map((word) => [...word].map(characterPattern).join(''))
    const characters = [...text]
    const before = isInWord(characters[0]) ? `(?:^|${EDGE})` : ''
    const after = isInWord(characters.at(-1)) ? `(?:$|${EDGE})` : ''
    return { before, inside: words.join('\\s+'), after }
  })
  // Phrases with the same edges share them, because an edge is a class of thousands of characters that takes long to compile.
  const groups = Map.groupBy(parts, ({ before, after }) => before + after)
  const insideOf = (group: typeof parts) => group.map(({ inside }) => inside).join('|')
  const whole = [...groups.values()].map((group) => `${group[0]!.before}(${insideOf(group)})${group[0]!.after}`)
  // LanceDB turns a pattern without operators into LIKE and treats its backslashes as escapes. The parentheses prevent that.
  return { anywhere: `(${insideOf(parts)})`, wholeWords: whole.join('|') }
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && WORD_CHARACTER.test(character) && !isUnspaced(character)
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
