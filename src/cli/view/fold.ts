/** A column of help is not folded to fewer columns of the terminal. */
const MIN_COLUMN = 16

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

/**
 * Fits help below the options to the terminal. Lines without an indent are prose and are joined to paragraphs. An indented line is a row,
 * and goes on below the last of its columns, which two spaces divide. A row with a comment (`#`) is an example, and stays as it is.
 */
export function foldHelp(text: string, width: number): string {
  const lines = text.split('\n').reduce<string[]>((paragraphs, line) => {
    const last = paragraphs.at(-1)
    const isProse = (one: string | undefined) => one !== undefined && /^\S.*[^:]$/.test(one)
    return isProse(last) && /^\S/.test(line) ? paragraphs.with(-1, `${last} ${line}`) : [...paragraphs, line]
  }, [])
  return lines.map((line) => (/^\s.*#/.test(line) ? line : foldRow(line, width))).join('\n')
}

function foldRow(line: string, width: number): string {
  const before = /^\s+(?:.*\s{2,})?(?=\S)/.exec(line)?.[0].length ?? 0
  const rest = foldLine(line.slice(before), Math.max(MIN_COLUMN, width - before))
  return line.slice(0, before) + rest.replaceAll('\n', `\n${' '.repeat(before)}`)
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
