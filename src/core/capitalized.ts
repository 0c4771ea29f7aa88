/** Returns the word with a capital letter, for the beginning of a sentence or a label. */
export function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}
