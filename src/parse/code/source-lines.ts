import type { Syntax } from './language.ts'

/** Longer lines are data or were made by a program. They define nothing, and their strings and comments are not looked for. */
export const MAX_LINE_CHARS = 1_000
const TAB_COLUMNS = 4

export interface SourceLine {
  /** Offsets in the text, without the line break. */
  start: number
  end: number
  /** The column of its first character that is not blank. */
  indent: number
  /** Offset of that character; `end` for a blank line. */
  first: number
  /** It begins within a comment or a string that began on a line above. */
  isInside: boolean
  /** It has nothing but a comment. */
  isComment: boolean
}

/** Divides source code into lines, and finds out which of them begin within comments and strings. Takes time linear in the text. */
export function sourceLines(text: string, language: Syntax): SourceLine[] {
  const scanner = new Scanner(text, language)
  const lines: SourceLine[] = []
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    lines.push(scanner.line(start, end))
    start = end + 1
  }
  return lines
}

class Scanner {
  private readonly text: string
  private readonly lineComments: readonly string[]
  private readonly spans: NonNullable<Syntax['spans']>
  /** Finds the next place in a line where a comment or a string begins. */
  private readonly token: RegExp | null
  /** What ends the comment or string that the line is in. */
  private open: string | null = null
  /** The next place of each closing mark, so that a mark that never comes is not looked for again. */
  private readonly nextClose = new Map<string, number>()

  constructor(text: string, { lineComments = [], spans = [], quotes = '' }: Syntax) {
    this.text = text
    this.lineComments = lineComments
    this.spans = spans
    const marks = [...spans.map(([open]) => open), ...lineComments].map((mark) =>
      mark.replace(/[\^$.*+?()[\]{}|/]/g, String.raw`\$&`),
    )
    const strings = [...quotes].map((quote) => `${quote}(?:[^\\\\${quote}]|\\\\.)*${quote}?`)
    // A regular expression literal can contain quotes. It follows an operator or an opening bracket.
    const literal =
      lineComments.includes('//') && quotes.includes("'") ? ['(?<=[=(,:!&|?;{[]\\s?)/(?![*/ ])(?:[^\\\\/]|\\\\.)+/'] : []
    // A single character in quotes: '"' or '\''. In Rust, 'a is a lifetime.
    const character = lineComments.includes('//') && !quotes.includes("'") ? ["'(?:\\\\[^']{1,8}|\\\\'|[^'\\\\])'"] : []
    const alternatives = [...literal, ...character, ...marks, ...strings]
    this.token = alternatives.length === 0 ? null : new RegExp(alternatives.join('|'), 'g')
  }

  line(start: number, end: number): SourceLine {
    const { text } = this
    const isInside = this.open !== null
    let first = start
    let indent = 0
    for (; first < end; first++) {
      const character = text[first]
      if (character === '\t') indent += TAB_COLUMNS - (indent % TAB_COLUMNS)
      else if (character === ' ') indent++
      else break
    }
    const isComment = isInside ? this.open !== null : this.beginsAsComment(first, end)
    this.scan(start, end)
    return { start, end, indent, first, isInside, isComment }
  }

  private beginsAsComment(first: number, end: number): boolean {
    if (first === end) return false
    if (this.lineComments.some((mark) => this.text.startsWith(mark, first))) return true
    return this.spans.some(([open, close]) => open !== close && this.text.startsWith(open, first))
  }

  private scan(start: number, end: number): void {
    const { text, token } = this
    let at = start
    if (this.open !== null) {
      const close = this.closeAfter(this.open, start)
      if (close < 0 || close >= end) return
      at = close + this.open.length
      this.open = null
    }
    if (token === null || end - start > MAX_LINE_CHARS) return
    const line = text.slice(start, end)
    token.lastIndex = at - start
    for (let match = token.exec(line); match !== null; match = token.exec(line)) {
      const [found] = match
      if (this.lineComments.includes(found)) return
      const span = this.spans.find(([open]) => open === found)
      if (span === undefined) continue
      const from = start + match.index + found.length
      const close = this.closeAfter(span[1], from)
      // A comment that never ends is no comment.
      if (close < 0) continue
      if (close >= end) {
        this.open = span[1]
        return
      }
      token.lastIndex = close + span[1].length - start
    }
  }

  private closeAfter(mark: string, from: number): number {
    const known = this.nextClose.get(mark)
    if (known !== undefined && (known < 0 || known >= from)) return known
    const next = this.text.indexOf(mark, from)
    this.nextClose.set(mark, next)
    return next
  }
}
