/**
 * Breaks a message for a terminal at spaces, never within a word, because users copy its paths and addresses. Words count as many columns as
 * they have characters: measuring text exactly would have to load with every command.
 */
export function foldMessage(message: string, width: number): string {
  return message
    .split('\n')
    .map((line) => foldLine(line, width))
    .join('\n')
}

function foldLine(line: string, width: number): string {
  let folded = ''
  let used = 0
  // Spaces at the start of a line indent it.
  for (const [word] of line.matchAll(/^\s*\S+|\S+/g)) {
    if (used > 0 && used + 1 + word.length > width) {
      folded += `\n${word}`
      used = word.length
    } else {
      folded += used > 0 ? ` ${word}` : word
      used += word.length + (used > 0 ? 1 : 0)
    }
  }
  return folded
}
