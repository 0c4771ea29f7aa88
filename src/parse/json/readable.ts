import { endOfComment, endOfString } from './scan.ts'

/** A file with longer lines on average was written for programs, so docsearch adds line breaks. */
const MAX_MEAN_LINE_CHARS = 300
/** Deeper values are indented no further, because the blanks of very deep ones would be most of the text. */
const MAX_INDENT = 20
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|[nrtbf/])/g

/**
 * Writes the characters in strings that JSON escapes, so that searches find the words: `ü` for `\u00fc`, a space for `\n`. Escaped
 * quotes and backslashes stay. No line gets longer or shorter by a line break.
 */
export function withoutEscapes(json: string): string {
  return json
    .replace(/\\\\|\\(?:u[0-9a-fA-F]{4}|[nrtbf/])/g, (escape) => (escape === '\\\\' ? escape : decoded(escape)))
    .toWellFormed()
}

function decoded(escape: string): string {
  return escape.replace(ESCAPE, (_, hex: string | undefined) => {
    if (hex === undefined) return escape === '\\/' ? '/' : ' '
    const code = Number.parseInt(hex, 16)
    // A quote would end the string for the scanner, and control characters are no text.
    return code < 32 || code === 0x22 || code === 0x5c ? ' ' : String.fromCharCode(code)
  })
}

/** Returns whether the lines are too long to be read. */
export function isMinified(json: string): boolean {
  let lines = 1
  for (let at = json.indexOf('\n'); at >= 0; at = json.indexOf('\n', at + 1)) lines++
  return json.length / lines > MAX_MEAN_LINE_CHARS
}

/** A list of short values gets a new line when the line has this many characters. */
const FULL_LINE_CHARS = 100
/** A text with more brackets than words would grow by more, so it stays as it is. */
const MAX_GROWTH = 2

/**
 * Begins a new line for each key, object and list, and indents it. Returns null if the text would get longer than `maxChars`, or more than
 * twice as long.
 */
export function withLines(json: string, maxChars: number): string | null {
  return new LineWriter(json, Math.min(maxChars, json.length * MAX_GROWTH + 1_000)).write()
}

class LineWriter {
  private readonly json: string
  private readonly maxChars: number
  private readonly parts: string[] = []
  /** A 1 for each open object, and a 0 for each open list. */
  private readonly open: number[] = []
  private chars = 0
  private from = 0

  constructor(json: string, maxChars: number) {
    this.json = json
    this.maxChars = maxChars
  }

  write(): string | null {
    const { json, open } = this
    for (let at = 0; at < json.length && this.chars <= this.maxChars;) {
      const character = json[at]
      if (character === '"') at = endOfString(json, at)
      else if (character === '/') at = endOfComment(json, at)
      else {
        at++
        if (character === '{' || character === '[') {
          open.push(character === '{' ? 1 : 0)
          if (!/[}\]]/.test(json.charAt(at))) this.newLine(at)
        } else if (character === '}' || character === ']') {
          open.pop()
          if (!/[{[]/.test(json.charAt(at - 2))) this.newLine(at - 1)
        } else if (character === ',' && this.isLineEnd(at)) this.newLine(at)
        else if (character === ':' && json[at] !== ' ') this.add(at, ' ')
      }
    }
    this.add(json.length, '')
    return this.chars > this.maxChars ? null : this.parts.join('')
  }

  private isLineEnd(at: number): boolean {
    const { json, open, from } = this
    return open.at(-1) === 1 || /[}\]]/.test(json.charAt(at - 2)) || /[{[]/.test(json.charAt(at)) || at - from > FULL_LINE_CHARS
  }

  private newLine(at: number): void {
    this.add(at, `\n${'  '.repeat(Math.min(this.open.length, MAX_INDENT))}`)
  }

  private add(to: number, after: string): void {
    const part = this.json.slice(this.from, to).trim()
    this.parts.push(part, after)
    this.chars += part.length + after.length
    this.from = to
  }
}
