import type { BlockKind } from '../../core/parsed.ts'
import { Flow, writeFlow } from '../blocks/flow.ts'
import { cleanText } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/decode.ts'
import { readHtml } from '../html/read-html.ts'
import type { Parser } from '../parser.ts'
import { AsciidocText } from './asciidoc-inline.ts'
import { AsciidocLines, headingOf, isBlockAttributes, isComment, isDelimiter, type Item, itemOf } from './asciidoc-lines.ts'
import { readTable } from './asciidoc-table.ts'

/**
 * Reads AsciiDoc as it looks on the printed page. Includes no files and runs nothing. This parser is our own because asciidoctor.js takes
 * quadratic time for a line of blanks or of open marks, and overflows the stack on nested blocks.
 */
export const parseAsciidoc: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const reader = new AsciidocReader(cleanText(text), flow, limits.textBytes)
  reader.read()
  const { pageCount } = writeFlow(flow, output)
  return { title: reader.title, pageCount, warnings: [], facts: { engine: 'asciidoc', encoding, confidence } }
}

const ATTRIBUTE = /^:(!?[\w][\w-]{0,100}!?):(?:[ \t]+(.*))?$/
const ADMONITION = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/
const BLOCK_MACRO = /^(image|video|audio|toc|icon|ifdef|ifndef|include)::([^\s[\]]{0,1000})\[(.*)\]$/
const BREAK = /^(?:'{3,}|<{3,}|-{3}|\*{3}|- - -|\* \* \*)$/
/** Styles of blocks whose text stays as it is written. */
const VERBATIM = /^(?:source|listing|literal|stem|latexmath|asciimath|ditaa|plantuml|graphviz|mermaid)$/
/** The numbers of the lines of code that the text below explains. */
const CALLOUTS = /[ \t]{0,4}(?:(?:\/\/|#|--|;;)[ \t]?)?(?:<(?:!--)?(?:\d{1,3}|\.)(?:--)?>[ \t]?){1,20}$/

/** The attributes of a block, from the line in brackets above it. */
interface BlockStyle {
  style: string
  /** The text in the brackets. */
  all: string
}

interface List {
  mark: string
  count: number
}

/** Writes the blocks of AsciiDoc to a flow. */
class AsciidocReader {
  title: string | null = null
  private readonly lines: AsciidocLines
  private readonly flow: Flow
  private readonly text: AsciidocText
  private block: BlockStyle = { style: '', all: '' }
  /** The open lists, the outermost first. */
  private lists: List[] = []
  /** The word of an admonition, in front of its first paragraph. */
  private label = ''
  private isBelowBlank = false
  private hasContent = false

  /** @param maxInserted Limit on the characters that attributes and cross references insert. */
  constructor(source: string, flow: Flow, maxInserted: number) {
    this.lines = new AsciidocLines(source)
    this.flow = flow
    this.text = new AsciidocText(this.lines.targets(), maxInserted)
  }

  read(): void {
    const { lines } = this
    while (!lines.isAtEnd) {
      const line = lines.at(0)
      if (line === '' || line === '+') {
        this.isBelowBlank = line === ''
        lines.skip(1)
        continue
      }
      if (!this.readSilent(line) && !this.readHeading(line)) this.readBlock(line)
      this.isBelowBlank = false
    }
    this.title ??= this.text.valueOf('doctitle') ?? this.text.valueOf('title')
  }

  /** Reads a line that adds nothing to the printed page: a comment, an attribute, or a line that describes the next block. */
  private readSilent(line: string): boolean {
    const { lines } = this
    if (isComment(line)) lines.skip(1)
    else if (/^\/{4,}$/.test(line)) {
      lines.skip(1)
      lines.takeUntil(line)
    } else if (ATTRIBUTE.test(line)) this.readAttribute()
    else if (isBlockAttributes(line)) {
      this.readBlockAttributes(line)
      lines.skip(1)
    } else if (BREAK.test(line) && !this.isTitle(line)) lines.skip(1)
    else return false
    return true
  }

  private isTitle(line: string): boolean {
    return headingOf(line, this.lines.at(1)) !== null
  }

  private readAttribute(): void {
    const { lines } = this
    const [, name, first = ''] = ATTRIBUTE.exec(lines.at(0))!
    lines.skip(1)
    const parts = [first]
    while (parts.at(-1)!.endsWith(' \\') && !lines.isAtEnd) {
      parts.push(lines.at(0).trim())
      lines.skip(1)
    }
    this.text.define(
      name!,
      parts
        .map((part) => part.replace(/ \\$/, ''))
        .join(' ')
        .slice(0, 2_000),
    )
  }

  private readBlockAttributes(line: string): void {
    if (line.startsWith('[[')) return
    // Attributes between two lists begin another list.
    if (this.isBelowBlank) this.lists = []
    const all = line.slice(1, -1)
    const style = /^["']?([\w-]*)/.exec(all)![1]!
    this.block = {
      style: style || this.block.style,
      all: this.block.all === '' ? all : `${this.block.all},${all}`.slice(0, 5_000),
    }
    const [, name, source] = all.split(',').map((part) => part.trim())
    if (/^(?:quote|verse)$/.test(style))
      this.add('paragraph', [name, source].filter((part) => part && !part.includes('=')).join(', '))
  }

  private readHeading(line: string): boolean {
    const { lines } = this
    const heading = isDelimiter(line) && !/^[=#]{1,6}[ \t]/.test(line) ? null : headingOf(line, lines.at(1))
    if (heading === null || this.block.style === 'source') return false
    lines.skip(heading.lines)
    const isFirst = !this.hasContent
    const text = this.text.plain(heading.title)
    this.lists = []
    this.add('heading', heading.title, heading.level)
    if (heading.level === 1) this.title ??= text || null
    if (heading.level === 1 && isFirst) this.readHeader()
    return true
  }

  /** Reads the authors and the revision below the title. */
  private readHeader(): void {
    const { lines } = this
    while (!lines.isAtEnd && lines.at(0) !== '' && !isBlockAttributes(lines.at(0)) && !isDelimiter(lines.at(0))) {
      if (!this.readSilent(lines.at(0))) {
        this.add('paragraph', lines.at(0))
        lines.skip(1)
      }
    }
  }

  private readBlock(line: string): void {
    const { block } = this
    const item = itemOf(line)
    if (/^\.[^.\s]/.test(line)) {
      this.add('paragraph', line.slice(1))
      this.lines.skip(1)
      return
    }
    this.block = { style: '', all: '' }
    if (isDelimiter(line)) this.readDelimited(line, block)
    else if (BLOCK_MACRO.test(line)) this.readBlockMacro(line)
    else if (item !== null && !VERBATIM.test(block.style)) this.readItem(item, block)
    else if (/^\s/.test(line) || VERBATIM.test(block.style))
      this.addCode(this.lines.takeWhile((one) => one !== '' && one !== '+'))
    else this.readParagraph(block)
  }

  private readDelimited(line: string, { style, all }: BlockStyle): void {
    const { lines } = this
    lines.skip(1)
    const kind = line.charAt(0)
    if (/^[|,:!]=/.test(line)) this.addTable(lines.takeUntil(line), all, kind)
    else if (style === 'comment') lines.takeUntil(line)
    else if (kind === '`') this.addCode(lines.takeUntil('```'))
    else if (kind === '+' && !VERBATIM.test(style)) readHtml(lines.takeUntil(line).join('\n'), this.flow)
    else if (/^(?:----|\.|\+)/.test(line) || VERBATIM.test(style)) this.addCode(lines.takeUntil(line))
    else if (style === 'verse') this.addText('paragraph', this.text.plain(lines.takeUntil(line).join('\n'), true))
    else if (ADMONITION.test(style)) this.label = `${style}: `
    // The content of other blocks is read like the text around them.
    if (!this.lists.length || this.isBelowBlank) this.lists = []
  }

  private addTable(lines: string[], attributes: string, mark: string): void {
    const { rows, hasHeader } = readTable(lines, attributes, mark)
    this.flow.end('paragraph')
    this.flow.openTable()
    for (const [index, row] of rows.entries()) {
      const cells = row.map((cell) => this.text.plain(cell.trim()))
      if (cells.some((cell) => cell !== '')) this.flow.addRow(cells, index === 0 && hasHeader ? { header: true } : {})
    }
    this.flow.closeTable()
    this.hasContent = true
  }

  private readBlockMacro(line: string): void {
    this.lines.skip(1)
    const [, macro, , content = ''] = BLOCK_MACRO.exec(line)!
    if (macro === 'image')
      this.add(
        'paragraph',
        content
          .split(',', 1)[0]!
          .replace(/^"|"$/g, '')
          .replace(/^\w+=.*/, ''),
      )
  }

  private readItem({ mark, number, term, text }: Item, { all }: BlockStyle): void {
    const { lines, lists } = this
    lines.skip(1)
    const at = lists.findIndex((list) => list.mark === mark)
    if (at >= 0) lists.length = at + 1
    else lists.push({ mark, count: Number(/\bstart\s*=\s*"?(\d{1,6})/.exec(all)?.[1] ?? 1) - 1 })
    const list = lists.at(-1)!
    list.count++
    // The text of a term can follow after blank lines.
    if (term !== null && text === '') {
      while (lines.at(0) === '' && !lines.isAtEnd) lines.skip(1)
      if (!this.isText(lines.at(0))) text = ''
    }
    const rest = text === '' && !this.isText(lines.at(0)) ? [] : lines.takeWhile((line) => this.isText(line))
    const source = [
      text.replace(/^\[[ xX*]\]\s+/, ''),
      ...rest.filter((line) => !isComment(line)).map((line) => line.trimStart()),
    ]
    const body = source.filter((line) => line !== '').join('\n')
    this.add('list_item', body, lists.length, this.markOf(mark, number, term, list.count, body !== ''))
  }

  private markOf(mark: string, number: string | null, term: string | null, count: number, hasText: boolean): string {
    if (term !== null) return `${this.text.plain(term)}${hasText ? ': ' : ''}`
    return mark === '-' || mark.startsWith('*') ? '- ' : `${number ?? `${count}.`} `
  }

  /** Returns whether a line continues the text of a list item. */
  private isText(line: string): boolean {
    return (
      line !== '' &&
      line !== '+' &&
      itemOf(line) === null &&
      !isDelimiter(line) &&
      !isBlockAttributes(line) &&
      !BLOCK_MACRO.test(line)
    )
  }

  private readParagraph({ style }: BlockStyle): void {
    const { lines } = this
    const isQuote = lines.at(0).startsWith('> ')
    if (this.isBelowBlank) this.lists = []
    const first = lines.at(0)
    lines.skip(1)
    const rest = lines.takeWhile((line) => line !== '' && !isDelimiter(line) && !isBlockAttributes(line))
    const source = [first, ...rest.filter((line) => !isComment(line))].map((line) => (isQuote ? line.replace(/^> ?/, '') : line))
    if (style === 'comment') return
    if (style === 'pass') readHtml(source.join('\n'), this.flow)
    else if (style === 'verse') this.addText('paragraph', this.text.plain(source.join('\n'), true))
    else {
      if (ADMONITION.test(style)) this.label = `${style}: `
      this.add('paragraph', source.join('\n'))
    }
  }

  private addCode(lines: readonly string[]): void {
    const indents = lines.filter((line) => line !== '').map((line) => line.length - line.trimStart().length)
    const indent = indents.reduce((least, one) => Math.min(least, one), Infinity)
    const text = lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0).replace(CALLOUTS, '')).join('\n')
    this.hasContent = true
    this.flow.text(text)
    this.flow.end('code')
  }

  private add(kind: BlockKind, source: string, level?: number, mark = ''): void {
    this.addText(kind, mark + this.text.plain(source), level)
  }

  private addText(kind: BlockKind, text: string, level?: number): void {
    if (text.trim() === '') return
    const label = kind === 'paragraph' ? this.label : ''
    if (label !== '') this.label = ''
    this.hasContent = true
    this.flow.text(label + text)
    this.flow.end(kind, level)
  }
}
