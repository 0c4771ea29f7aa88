import type { Page } from '../../core/parsed.ts'
import { Flow } from '../blocks/flow.ts'
import { collapse, PageBuilder } from '../blocks/page-builder.ts'
import { readHtml } from '../html/read-html.ts'
import { inlineText } from './inline.ts'
import {
  beginsBlock,
  beginsTable,
  cellsOf,
  closesFence,
  type Fence,
  fenceOf,
  headingOf,
  indentOf,
  isRow,
  isRule,
  type Item,
  itemOf,
  linkLabelOf,
  type Note,
  noteOf,
  outdent,
  quoteEnd,
  type References,
  underlineOf,
} from './lines.ts'

/** Deeper quotations count as this deep. */
const MAX_QUOTES = 20
/** A line indented by this many columns is code, or continues the open block. */
const CODE_INDENT = 4

interface Line {
  /** With its indent. */
  raw: string
  /** Without the blanks at both ends. */
  text: string
  /** In columns. */
  indent: number
}

/**
 * Reads the blocks of Markdown, line by line. A quotation gets a separate reader.
 *
 * This is our own reader because mdast-util-from-markdown 2.1.0 is too slow for the limit of 10 s without a page. It took 34 s and
 * 930 MB for 5 MB of READMEs (ours: 0.6 s and 170 MB), and more than 60 s for 1 MB of `>` or `[a](` (ours: 3 ms).
 */
export class BlockReader {
  private readonly page: MarkdownPage
  private readonly lines: readonly string[]
  /** How many quotations these lines are in. */
  private readonly quotes: number
  /** Index of the current line. */
  private at = 0
  /** Lines of the open paragraph, list item or underlined heading. */
  private open: string[] = []
  private openKind: 'paragraph' | 'item' = 'paragraph'
  /** Indents of the open list items, from the outermost. */
  private items: number[] = []
  private isAfterBlank = true

  constructor(page: MarkdownPage, lines: readonly string[], quotes = 0) {
    this.page = page
    this.lines = lines
    this.quotes = quotes
  }

  read(): void {
    for (; this.at < this.lines.length; this.at++) this.readLine()
    this.closeOpen()
  }

  private readLine(): void {
    const line = toLine(this.lines[this.at] ?? '')
    if (line.text === '') {
      this.closeOpen()
      this.isAfterBlank = true
      return
    }
    const item = isRule(line.text) ? null : itemOf(line.text)
    // After a blank line, a line without an indent ends the list.
    if (this.isAfterBlank && line.indent === 0 && item === null) this.items = []
    this.isAfterBlank = false
    if (line.indent >= CODE_INDENT && this.items.length === 0) {
      if (this.open.length > 0) this.open.push(line.raw)
      else this.readIndentedCode()
    } else if (item !== null && this.beginsItem(line, item)) this.readItem(line, item)
    else this.readBlock(line)
  }

  /** False for a number or a single dash at the beginning of a paragraph's line: there it is part of the text. */
  private beginsItem({ text }: Line, { isEmpty, number }: Item): boolean {
    const isText = this.open.length > 0 && this.items.length === 0 && (isEmpty || (number ?? 1) !== 1)
    return !isText && !this.isUnderline(text)
  }

  private readItem({ raw, text, indent }: Line, { width, isEmpty }: Item): void {
    this.closeOpen()
    while ((this.items.at(-1) ?? -Infinity) > indent - 2) this.items.pop()
    this.items.push(indent)
    const content = text.slice(width)
    if (!isEmpty && beginsBlock(content)) {
      // The item consists of code, a heading or a quotation.
      this.readBlock({ raw: ' '.repeat(indent + width) + content, text: content, indent: indent + width })
      return
    }
    this.openKind = 'item'
    if (!isEmpty) this.open.push(raw)
  }

  private readBlock({ raw, text, indent }: Line): void {
    const fence = fenceOf(text)
    if (fence !== null) return this.readFencedCode(fence, indent)
    const heading = headingOf(text)
    if (heading !== null) {
      this.closeOpen()
      this.page.addHeading(heading.text, heading.level)
      return
    }
    if (this.isUnderline(text)) {
      this.page.addHeading(joinLines(this.open), underlineOf(text)!)
      this.open = []
      return
    }
    if (isRule(text)) return this.closeOpen()
    if (text.startsWith('>')) return this.readQuotation(raw)
    const note = noteOf(text)
    if (note !== null) return this.readNote(note)
    if (this.open.length === 0 && linkLabelOf(text) !== null) return
    const htmlCount = htmlLines(this.lines, this.at, this.open.length > 0)
    if (htmlCount > 0) return this.readHtml(htmlCount)
    if (beginsTable(text, this.lines[this.at + 1] ?? '')) return this.readTable(text)
    this.open.push(raw)
  }

  /** Begins a footnote. Its paragraphs are indented like the paragraphs of a list item. */
  private readNote({ label, text }: Note): void {
    this.closeOpen()
    this.items = [0]
    this.open.push(`${label}: ${text}`)
  }

  private readFencedCode(fence: Fence, indent: number): void {
    this.closeOpen()
    const code: string[] = []
    while (++this.at < this.lines.length) {
      const line = this.lines[this.at] ?? ''
      if (closesFence(line.trim(), fence)) break
      code.push(outdent(line, indent))
    }
    this.page.addCode(code)
  }

  private readIndentedCode(): void {
    let last = this.at
    for (let i = this.at; i < this.lines.length; i++) {
      const line = this.lines[i] ?? ''
      if (line.trim() === '') continue
      if (indentOf(line) < CODE_INDENT) break
      last = i
    }
    this.page.addCode(this.lines.slice(this.at, last + 1).map((line) => outdent(line, CODE_INDENT)))
    this.at = last
  }

  private readQuotation(firstLine: string): void {
    this.closeOpen()
    const end = quoteEnd(this.lines, this.at + 1)
    const mark = this.quotes < MAX_QUOTES ? /^[ \t]*> ?/ : /^[ \t>]+/
    const inside = [firstLine, ...this.lines.slice(this.at + 1, end)].map((line) => line.replace(mark, ''))
    new BlockReader(this.page, inside, Math.min(this.quotes + 1, MAX_QUOTES)).read()
    this.at = end - 1
  }

  private readHtml(count: number): void {
    this.closeOpen()
    this.page.addHtml(this.lines.slice(this.at, this.at + count).join('\n'))
    this.at += count - 1
  }

  private readTable(header: string): void {
    this.closeOpen()
    // The rule below the header is no row.
    const first = this.at + 2
    let end = first
    while (isRow(this.lines[end] ?? '')) end++
    this.page.addTable(header, this.lines.slice(first, end))
    this.at = end - 1
  }

  private closeOpen(): void {
    const text = joinLines(this.open)
    this.open = []
    if (this.openKind === 'item') {
      const width = itemOf(text)?.width ?? 0
      this.page.addItem(text.slice(0, width), text.slice(width), this.items.length)
    } else this.page.addParagraph(text)
    this.openKind = 'paragraph'
  }

  private isUnderline(text: string): boolean {
    return this.open.length > 0 && this.openKind === 'paragraph' && underlineOf(text) !== null
  }
}

function toLine(raw: string): Line {
  return { raw, text: raw.trim(), indent: indentOf(raw) }
}

/** Joins the lines of a paragraph, because its line breaks mean nothing. A backslash at the end of a line asks for such a break. */
function joinLines(lines: readonly string[]): string {
  return lines.map((line, i) => (i < lines.length - 1 ? line.trim().replace(/(?<!\\)\\$/, '') : line.trim())).join(' ')
}

/** Elements that begin a block of HTML among Markdown. */
const BLOCKS =
  /^<\/?(?:address|article|aside|base|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|ol|optgroup|option|p|param|picture|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s>]|\/>|$)/i
/** Any other element that has a line to itself. */
const ALONE = /^<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?>$/i
/** Elements in which nothing is Markdown until they end, even after a blank line. */
const RAW = /^<(script|pre|style|textarea)(?=[\s>]|$)/i

/** A comment or script of more lines than this was probably never closed. */
const MAX_LINES = 2_000

/**
 * Returns how many lines from `start` on are HTML and not Markdown; 0 for none. These are a comment, an element with raw content,
 * or a block of elements up to the next blank line.
 * @param isWithinParagraph A paragraph is open. An inline element can be part of it.
 */
function htmlLines(lines: readonly string[], start: number, isWithinParagraph: boolean): number {
  const first = (lines[start] ?? '').trim()
  if (!first.startsWith('<')) return 0
  const raw = RAW.exec(first)?.[1]?.toLowerCase()
  const end = first.startsWith('<!--') ? '-->' : raw === undefined ? null : `</${raw}>`
  if (end !== null) {
    const last = lines.slice(start, start + MAX_LINES).findIndex((line) => line.toLowerCase().includes(end))
    // Without its end, such a block would be all the rest of the document.
    if (last >= 0) return last + 1
  }
  if (!BLOCKS.test(first) && (isWithinParagraph || !ALONE.test(first))) return 0
  let count = 1
  while ((lines[start + count] ?? '').trim() !== '') count++
  return count
}

/** Deeper list items get this level. */
const MAX_LEVEL = 6
const CELL_SEPARATOR = ' | '
/** An anchor or classes behind a heading, which Pandoc and site generators read. */
const HEADING_ATTRIBUTES = / \{[#.:][^{}]*\}$/

/** The page that a Markdown file becomes. It takes the blocks in order. */
export class MarkdownPage {
  /** The first heading of the first level. */
  title: string | null = null
  private readonly builder = new PageBuilder(1)
  private tables = 0
  private readonly references: References

  constructor(references: References) {
    this.references = references
  }

  build(): Page {
    return this.builder.build()
  }

  addHeading(source: string, level: number): void {
    this.addHeadingText(this.plain(source.replace(HEADING_ATTRIBUTES, '')), level)
  }

  addParagraph(source: string): void {
    this.builder.add('paragraph', this.plain(source))
  }

  /** @param mark With the blanks after it. */
  addItem(mark: string, source: string, level: number): void {
    const text = this.plain(source)
    // An item with nothing but an image without a description has no text.
    if (text !== '') this.builder.add('list_item', mark + text, { level: Math.min(level, MAX_LEVEL) })
  }

  addCode(lines: readonly string[]): void {
    this.builder.add('code', lines.join('\n').replace(/^\n+/, '').trimEnd())
  }

  addTable(header: string, rows: readonly string[]): void {
    this.tables++
    this.builder.add('table_row', this.rowText(header), { table: this.tables, header: true })
    for (const row of rows) this.builder.add('table_row', this.rowText(row), { table: this.tables })
  }

  addHtml(html: string): void {
    // The limits on text and pages apply to the whole page, not to each block of HTML.
    const flow = new Flow({ chars: Infinity, pages: 1 })
    readHtml(html, flow)
    let tables = 0
    for (const { text, blocks } of flow.build()) {
      for (const { kind, start, end, level, table, header } of blocks) {
        const content = text.slice(start, end)
        tables = Math.max(tables, table ?? 0)
        if (kind === 'heading') this.addHeadingText(content, level ?? 1)
        else
          this.builder.add(kind, content, {
            ...(level === undefined ? {} : { level }),
            ...(table === undefined ? {} : { table: this.tables + table }),
            ...(header === undefined ? {} : { header }),
          })
      }
    }
    this.tables += tables
  }

  private addHeadingText(text: string, level: number): void {
    this.builder.add('heading', text, { level })
    if (level === 1) this.title ??= text || null
  }

  private rowText(row: string): string {
    const cells = cellsOf(row).map((cell) => this.plain(cell.trim()))
    return cells.every((cell) => cell === '') ? '' : cells.join(CELL_SEPARATOR).trim()
  }

  private plain(source: string): string {
    return collapse(inlineText(source, this.references)).replace(/\n/g, ' ')
  }
}
