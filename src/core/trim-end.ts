/**
 * Removes the characters at the end of a text that match the pattern. The pattern matches one character. This takes linear time,
 * unlike `text.replace(/[…]+$/, '')`, which takes quadratic time for a long run of such characters inside the text.
 */
export function trimEnd(text: string, character: RegExp): string {
  let end = text.length
  while (end > 0 && character.test(text[end - 1]!)) end--
  return text.slice(0, end)
}
