import type { KnownWord } from '../../text/known.ts'

/**
 * Returns a word in the form that the model has: in lower case and not stemmed. Parts of compounds are words of their own. Null for a
 * number, which means nothing by itself. Training and inference both call this function, so that they can't differ.
 */
export function modelWord({ lower }: KnownWord): string | null {
  return isNumber(lower) ? null : lower
}

function isNumber(word: string): boolean {
  const first = word.charCodeAt(0)
  return (first < 97 || first > 122) && /^\p{N}+$/u.test(word)
}
