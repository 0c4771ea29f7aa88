/** True for a line of one kind of punctuation, which underlines a heading. */
export function isRstUnderline(line: string): boolean {
  const text = line.trimEnd()
  return (
    text.length >= 3 && /[!-/:-@[-`{-~]/.test(text.charAt(0)) && text === text.charAt(0).repeat(text.length) && text !== '...'
  )
}

/** The lines of a text, read from the first to the last. */
export class RstLines {
  private readonly lines: string[]
  private index = 0

  constructor(text: string) {
    this.lines = text.split('\n').map((line) => line.replaceAll('\t', '        '))
  }

  get isAtEnd(): boolean {
    return this.index >= this.lines.length
  }

  /** Returns a line counted from the current one. */
  at(offset: number): string {
    return this.lines[this.index + offset] ?? ''
  }

  isBlank(offset: number): boolean {
    return this.at(offset).trim() === ''
  }

  indentOf(offset: number): number {
    const line = this.at(offset)
    return line.length - line.trimStart().length
  }

  skip(count: number): void {
    this.index += count
  }

  /** Replaces the previous line with a text, which becomes the next line. */
  replacePrevious(text: string, indent: number): void {
    this.index--
    this.lines[this.index] = ' '.repeat(indent) + text
  }

  takeWhile(isWanted: (line: string) => boolean): string[] {
    const from = this.index
    while (!this.isAtEnd && isWanted(this.at(0))) this.index++
    return this.lines.slice(from, this.index)
  }

  /** Takes the lines that are blank or indented more. */
  takeIndented(indent: number): string[] {
    const from = this.index
    while (!this.isAtEnd && (this.isBlank(0) || this.indentOf(0) > indent)) this.index++
    return this.lines.slice(from, this.index)
  }

  /** Takes the lines up to a blank one, or up to one that is indented less. A list item takes lines that are indented more. */
  takeParagraph(): string[] {
    const from = this.index
    const indent = this.indentOf(0)
    this.index++
    while (!this.isAtEnd && !this.isBlank(0) && this.indentOf(0) >= indent && !isItem(this.at(0))) this.index++
    return this.lines.slice(from, this.index)
  }

  /** Takes the lines up to the rule that a blank line or the end of the text follows. */
  takeSimpleTable(): string[] {
    const from = this.index
    let rules = 0
    while (!this.isAtEnd) {
      const isRule = /^ *==[ =]*$/.test(this.at(0))
      if (isRule) rules++
      this.index++
      if (isRule && rules > 1 && this.isBlank(0)) break
    }
    return this.lines.slice(from, this.index)
  }
}

function isItem(line: string): boolean {
  return /^\s*(?:[-*+]|(?:\d{1,4}|#)[.)])[ \t]+\S/.test(line)
}
