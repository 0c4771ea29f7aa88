import type { Page } from '../../core/parsed.ts'
import { Flow } from '../blocks/flow.ts'
import { collapse, PageBuilder } from '../blocks/page-builder.ts'
import { readHtml } from '../html/read-html.ts'
import { inlineText } from './inline.ts'
import { cellsOf, type References } from './lines.ts'

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
