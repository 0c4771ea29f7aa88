export interface Style {
  bold(text: string): string
  dim(text: string): string
  mark(text: string): string
  good(text: string): string
  bad(text: string): string
}

/** ANSI styles, or functions that return the text unchanged. */
export function styles(color: boolean): Style {
  const wrap = (open: number, close: number) => (text: string) =>
    color && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text
  const bold = wrap(1, 22)
  const yellow = wrap(33, 39)
  return { bold, dim: wrap(2, 22), mark: (text) => bold(yellow(text)), good: wrap(32, 39), bad: wrap(31, 39) }
}

/** "1 document", "2 documents". */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}
