import type { KnownWord } from '../../text/known.ts'

/**
 * A word of a text as the embedding model has it: in lower case, not stemmed, parts of compounds beside the whole. Numbers mean nothing by
 * themselves and are null. Training and inference both take it from here, so that they cannot differ.
 */
export function modelWord({ lower }: KnownWord): string | null {
  return isNumber(lower) ? null : lower
}

function isNumber(word: string): boolean {
  const first = word.charCodeAt(0)
  return (first < 97 || first > 122) && /^\p{N}+$/u.test(word)
}
