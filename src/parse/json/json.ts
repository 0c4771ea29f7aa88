import type { Block, Page } from '../../core/parsed.ts'
import { cleanText, MAX_BLOCKS } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/decode.ts'
import type { Parser } from '../parser.ts'
import { type Entry, scanJson, endOfComment, endOfString } from './scan.ts'

/** A longer entry is divided into those in it. */
const MAX_ENTRY_CHARS = 2_000
const MIN_SECTION_CHARS = 500
/** How many lines without an error say that every line is a JSON text of its own. */
const MAX_TRIED_LINES = 20
const MAX_TRIED_CHARS = 200_000
/** Keys whose value names a record, in order of preference. */
const NAME = /"(?:name|title|id|key|label)"\s{0,20}:\s{0,20}(?:"([^"\n]{1,100})"|(\d{1,20}))/
const MAX_NAME_WITHIN = 1_000

/**
 * Reads JSON, JSON with comments, and JSON Lines. Keys become sections with their path. The text is that of the file, with escaped characters
 * decoded. If the file has no line breaks, this adds some.
 */
export const parseJson: Parser = async ({ file, limits }, output) => {
  const { text: raw, encoding, confidence } = await readTextFile(file, limits)
  const source = cleanText(raw).trimEnd()
  const isLines = isJsonLines(source)
  const formatted = !isLines && isMinified(source) ? withLines(source, limits.textBytes) : null
  const text = withoutEscapes(formatted ?? source)
  output.open(1)
  output.page({ number: 1, text, blocks: isLines ? lineBlocks(text) : entryBlocks(text) })
  const facts = {
    engine: 'json',
    encoding,
    confidence,
    ...(isLines && { json_lines: true }),
    ...(formatted !== null && { formatted: true }),
  }
  return { title: null, pageCount: 1, warnings: [], facts }
}

/** Returns whether each of the first lines is a complete JSON text. */
function isJsonLines(text: string): boolean {
  let tried = 0
  for (let start = 0; start < text.length && tried < MAX_TRIED_LINES && start < MAX_TRIED_CHARS;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, end).trim()
    start = end + 1
    if (line === '') continue
    if (!/^[{[]/.test(line) || line.length > MAX_TRIED_CHARS || !isJson(line)) return false
    tried++
  }
  return tried > 1
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Each line is a record, and a block. */
function lineBlocks(text: string): Page['blocks'] {
  const blocks: Block[] = []
  for (const { index, 0: line } of text.matchAll(/[^\n]*\S[^\n]*/g)) {
    const end = index + line.trimEnd().length
    if (blocks.length < MAX_BLOCKS) blocks.push({ kind: 'code', start: index, end })
    else blocks.at(-1)!.end = end
  }
  return blocks
}

function entryBlocks(text: string): Page['blocks'] {
  const entries = scanJson(text)
  const isDivided = entries.map(({ start, end }) => end - start > MAX_ENTRY_CHARS)
  const shown = entries.filter(({ parent }) => parent < 0 || isDivided[parent])
  const blocks: Block[] = []
  const add = (start: number, end: number, section: Block['section']): void => {
    const length = text.slice(start, end).trimEnd().length
    if (length === 0) return
    if (blocks.length < MAX_BLOCKS) blocks.push({ kind: 'code', start, end: start + length, ...(section && { section }) })
    else blocks.at(-1)!.end = start + length
  }
  const first = shown[0]
  add(0, first === undefined ? text.length : lineStart(text, first.start), undefined)
  for (const [index, entry] of shown.entries()) {
    const next = shown[index + 1]
    add(lineStart(text, entry.start), next === undefined ? text.length : lineStart(text, next.start), sectionOf(text, entry))
  }
  return blocks
}

/** Returns where the line of an offset begins, if nothing but blanks is before the offset. */
function lineStart(text: string, at: number): number {
  let start = at
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--
  return start === 0 || text[start - 1] === '\n' ? start : at
}

/** A short value is not a separate section. */
function sectionOf(text: string, { start, end, key, depth, isContainer }: Entry): Block['section'] {
  if (!isContainer && end - start < MIN_SECTION_CHARS) return { level: depth, title: '' }
  if (key !== null) return { level: depth, title: key }
  const match = NAME.exec(text.slice(start, Math.min(end, start + MAX_NAME_WITHIN)))
  return { level: depth, title: match?.[1] ?? match?.[2] ?? '' }
}

/** A file with longer lines on average was written for programs, so docsearch adds line breaks. */
const MAX_MEAN_LINE_CHARS = 300
/** Deeper values are indented no further, because the blanks of very deep ones would be most of the text. */
const MAX_INDENT = 20
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|[nrtbf/])/g

/**
 * Writes the characters in strings that JSON escapes, so that searches find the words: `ü` for `\u00fc`, a space for `\n`. Escaped
 * quotes and backslashes stay. No line gets longer or shorter by a line break.
 */
function withoutEscapes(json: string): string {
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
function isMinified(json: string): boolean {
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
function withLines(json: string, maxChars: number): string | null {
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
