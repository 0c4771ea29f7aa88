import type { BlockKind } from '../../core/parsed.ts'
import { Flow, writeFlow } from '../blocks/flow.ts'
import { cleanText } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/decode.ts'
import type { Parser } from '../parser.ts'
import { ACCENTS, CODE, combine, HEADINGS, IGNORED, LISTS, MATH, SYMBOLS, TABLES } from './latex-commands.ts'

/** Arguments in brackets or braces that are skipped are at most this long. */
const MAX_ARGUMENT_CHARS = 5_000
/** After this many arguments without an end in reach, the parser no longer searches the file for ends. */
const MAX_UNCLOSED = 1_000

/**
 * Reads LaTeX as text: headings, paragraphs, lists, tables and code, and formulas as they are written. Commands are never run, so a
 * definition that calls itself does nothing, and no other file is read.
 */
export const parseLatex: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const reader = new LatexReader(cleanText(text), flow)
  reader.read()
  const { pageCount, firstHeading } = writeFlow(flow, output)
  const title = reader.title ?? (firstHeading?.level === 1 ? firstHeading.text : null)
  return { title, pageCount, warnings: [], facts: { engine: 'latex', encoding, confidence } }
}

class LatexReader {
  title: string | null = null
  private readonly source: string
  private readonly flow: Flow
  private at = 0
  private kind: BlockKind = 'paragraph'
  private lists = 0
  private tables = 0
  private heading: { level: number; depth: number; isTitle: boolean; text: string } | null = null
  private depth = 0
  private unclosed = 0

  constructor(source: string, flow: Flow) {
    this.source = source
    this.flow = flow
    const begin = source.indexOf('\\begin{document}')
    // Only the title of the preamble is printed.
    if (begin >= 0) {
      const title = source.slice(0, begin).search(/\\title\s*[[{]/)
      if (title >= 0) this.title = this.plainArgument(title + '\\title'.length)
      this.at = begin + '\\begin{document}'.length
    }
  }

  read(): void {
    const { source } = this
    while (this.at < source.length) {
      const character = source[this.at]!
      if (character === '\\') this.readCommand()
      else if (character === '%') this.skipComment()
      else if (character === '{' || character === '}') this.readBrace(character)
      else if (character === '$') this.readDollars()
      else if (character === '&' && this.tables > 0) {
        this.flow.closeCell(false)
        this.at++
      } else if (character === '\n') this.readNewline()
      else if (character === '~') this.addAndSkip(' ', 1)
      else this.readRun()
    }
    this.endBlock()
  }

  private readRun(): void {
    const run = /[^\\%{}$&\n~]+|&/y
    run.lastIndex = this.at
    const text = run.exec(this.source)?.[0] ?? this.source[this.at]!
    this.addAndSkip(text.replaceAll('``', '“').replaceAll("''", '”').replaceAll('---', '—').replaceAll('--', '–'), text.length)
  }

  private addAndSkip(text: string, length: number): void {
    this.at += length
    this.add(text)
  }

  private add(text: string): void {
    if (this.heading !== null) this.heading.text += text
    else this.flow.text(text)
  }

  private readNewline(): void {
    const blank = /\n[ \t]*\n\s*/y
    blank.lastIndex = this.at
    const length = blank.exec(this.source)?.[0].length
    if (length !== undefined && this.heading === null && this.tables === 0) this.endBlock()
    else this.add('\n')
    this.at += length ?? 1
  }

  private skipComment(): void {
    const end = this.source.indexOf('\n', this.at)
    const next = end < 0 ? this.source.length : end + 1
    // A comment also swallows the blanks at the beginning of the next line, but no blank line.
    this.at = this.source[next] === '\n' ? next - 1 : next
  }

  private readBrace(brace: string): void {
    this.at++
    this.depth += brace === '{' ? 1 : -1
    if (this.heading !== null && this.depth <= this.heading.depth) this.endHeading()
  }

  private endHeading(): void {
    const { level, text, isTitle } = this.heading!
    this.heading = null
    if (isTitle) this.title ??= text.replace(/\s+/g, ' ').trim() || null
    this.flow.text(text)
    this.flow.end('heading', level)
  }

  private endBlock(): void {
    if (this.kind === 'list_item') this.flow.end('list_item', Math.max(this.lists, 1))
    else this.flow.end('paragraph')
    this.kind = 'paragraph'
  }

  /** Formulas stay as they are written. */
  private readDollars(): void {
    const mark = this.source.startsWith('$$', this.at) ? '$$' : '$'
    const limit = this.within(mark.length)
    const end = this.found(limit.search(mark === '$' ? /(?<!\\)\$|\n\s*\n/ : /\$\$|\n\s*\n/))
    if (end < 0 || limit[end] !== '$') this.addAndSkip('$', 1)
    else this.addAndSkip(limit.slice(0, end), end + 2 * mark.length)
  }

  private readCommand(): void {
    const pattern = /\\(?:([a-zA-Z@]+)(\*?)[ \t]*|([^a-zA-Z]))/y
    pattern.lastIndex = this.at
    const match = pattern.exec(this.source)
    if (match === null) {
      this.at++
      return
    }
    const [whole, name, , symbol] = match
    this.at += whole.length
    if (symbol !== undefined) this.readSymbol(symbol)
    else this.readNamed(name!)
  }

  private readSymbol(symbol: string): void {
    const accent = ACCENTS[symbol]
    if (symbol === '\\') {
      this.skipOptional()
      if (this.tables > 0 && this.heading === null) this.flow.closeRow()
      else this.add('\n')
    } else if (symbol === '(' || symbol === '[') this.readMath(symbol === '(' ? '\\)' : '\\]')
    else if (accent !== undefined) this.addAccent(accent)
    else if (/[%&$#_{}\s]/.test(symbol)) this.add(symbol)
    else if (symbol === ',' || symbol === ';' || symbol === ':') this.add(' ')
  }

  private addAccent(accent: string): void {
    const letter = /\{?\\?([a-zA-Z])\}?/y
    letter.lastIndex = this.at
    const match = letter.exec(this.source)
    if (match === null) return
    this.at += match[0].length
    this.add(combine(match[1]!, accent))
  }

  private readMath(close: string): void {
    const limit = this.within(0)
    const end = this.found(limit.indexOf(close))
    if (end >= 0) this.addAndSkip(limit.slice(0, end), end + close.length)
  }

  private readNamed(name: string): void {
    const heading = HEADINGS[name]
    const ignored = IGNORED[name]
    if (name === 'begin' || name === 'end') this.readEnvironment(name)
    else if (heading !== undefined) this.beginHeading(heading, name === 'title')
    else if (name === 'item') this.beginItem()
    else if (name === 'verb' || name === 'lstinline') this.readVerb()
    else if (name === 'par') this.endBlock()
    else if (ignored !== undefined) for (let count = 0; count < ignored; count++) this.skipArgument()
    else if (ACCENTS[name] !== undefined && name.length === 1) this.addAccent(ACCENTS[name])
    else if (Object.hasOwn(SYMBOLS, name)) this.add(SYMBOLS[name]!)
    // The arguments of other commands are text: \emph{a}, \footnote{b}.
    else this.skipOptional()
  }

  private beginHeading(level: number, isTitle: boolean): void {
    this.skipOptional()
    if (this.source[this.at] !== '{' || this.heading !== null) return
    this.endBlock()
    this.heading = { level, depth: this.depth, isTitle, text: '' }
  }

  private beginItem(): void {
    this.endBlock()
    this.kind = 'list_item'
    const label = /\[([^\][\n]{1,200})\]\s*/y
    label.lastIndex = this.at
    const match = label.exec(this.source)
    if (match === null) this.add('- ')
    else this.addAndSkip(`${match[1]!.replace(/\\[a-zA-Z]+|[{}]/g, '')} `, match[0].length)
  }

  private readVerb(): void {
    const mark = this.source[this.at]
    if (mark === undefined) return
    const close = mark === '{' ? '}' : mark
    const limit = this.within(1)
    const end = this.found(limit.indexOf(close))
    if (end >= 0) this.addAndSkip(limit.slice(0, end), end + 2)
  }

  private readEnvironment(word: string): void {
    const pattern = /\{([a-zA-Z]{1,40})(\*?)\}/y
    pattern.lastIndex = this.at
    const match = pattern.exec(this.source)
    if (match === null) return
    this.at += match[0].length
    const name = match[1]!
    if (TABLES.has(name)) this.readTable(word)
    else if (word === 'end') {
      this.endBlock()
      if (LISTS.has(name)) this.lists = Math.max(0, this.lists - 1)
      if (name === 'document') this.at = this.source.length
    } else {
      this.endBlock()
      if (LISTS.has(name)) this.lists++
      if (CODE.has(name) || MATH.has(name)) this.readVerbatim(name, `\\end{${name}${match[2]!}}`)
      else this.skipOptional()
    }
  }

  private readTable(word: string): void {
    if (word === 'begin') {
      this.endBlock()
      this.skipOptional()
      // The columns, and for some tables the width before them.
      this.skipArgument()
      if (this.source[this.at] === '{') this.skipArgument()
      this.tables++
      this.flow.openTable()
    } else if (this.tables > 0) {
      this.tables--
      this.flow.closeTable()
    }
  }

  private readVerbatim(name: string, close: string): void {
    this.skipOptional()
    if (name === 'minted') this.skipArgument()
    const place = this.source.indexOf(close, this.at)
    const end = place < 0 ? this.source.length : place
    this.addAndSkip(this.source.slice(this.at, end), end - this.at)
    if (this.tables === 0) this.flow.end('code')
  }

  /** Returns the text in which the end must come. The text starts `after` characters from here. Empty after too many missing ends. */
  private within(after: number): string {
    const from = this.at + after
    return this.unclosed > MAX_UNCLOSED ? '' : this.source.slice(from, from + MAX_ARGUMENT_CHARS)
  }

  /** Counts the searches that did not find an end. */
  private found(end: number): number {
    if (end < 0) this.unclosed++
    return end
  }

  private skipOptional(): void {
    while (this.source[this.at] === '[') {
      const end = this.found(this.within(0).search(/\]|\n\s*\n/))
      if (end < 0 || this.source[this.at + end] !== ']') return
      this.at += end + 1
    }
  }

  private skipArgument(): void {
    this.skipOptional()
    const end = this.endOfArgument(this.at)
    if (end !== null) this.at = end
  }

  /** Returns the place after an argument in braces; null if there is none, or no end within reach. */
  private endOfArgument(start: number): number | null {
    const { source } = this
    let at = start
    while (/\s/.test(source.charAt(at)) && at - start < 100) at++
    if (source[at] !== '{' || this.unclosed > MAX_UNCLOSED) return null
    let depth = 0
    for (const limit = Math.min(source.length, at + MAX_ARGUMENT_CHARS); at < limit; at++) {
      if (source[at] === '\\') at++
      else if (source[at] === '{') depth++
      else if (source[at] === '}' && --depth === 0) return at + 1
    }
    this.unclosed++
    return null
  }

  private plainArgument(start: number): string | null {
    const end = this.endOfArgument(start)
    if (end === null) return null
    const text = this.source.slice(start, end).replace(/\\(?:thanks|footnote)\{[^{}]{0,500}\}/g, '')
    return (
      text
        .replace(/\\\\|~/g, ' ')
        .replace(/\\[a-zA-Z]+\s?|[{}]/g, '')
        .replace(/\s+/g, ' ')
        .trim() || null
    )
  }
}
