/**
 * Removes the characters at the end of a text that match the pattern, which matches one character. Unlike `text.replace(/[…]+$/, '')`,
 * whose time grows with the square of a run of such characters in the middle, it takes linear time.
 */
export function trimEnd(text: string, character: RegExp): string {
  let end = text.length
  while (end > 0 && character.test(text[end - 1]!)) end--
  return text.slice(0, end)
}
