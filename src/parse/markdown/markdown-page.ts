import type { Page } from '../../core/parsed.ts'
import { Flow } from '../blocks/flow.ts'
import { PageBuilder } from '../blocks/page-builder.ts'
import { readHtml } from '../html/read-html.ts'

/** Deeper list items get this level. */
const MAX_LEVEL = 6

/** The page that a Markdown file becomes. It takes the blocks in order. */
export class MarkdownPage {
  /** The first heading of the first level. */
  title: string | null = null
  private readonly builder = new PageBuilder(1)
  private tables = 0

  build(): Page {
    return this.builder.build()
  }

  addHeading(text: string, level: number): void {
    this.builder.add('heading', text, { level })
    if (level === 1) this.title ??= text || null
  }

  addParagraph(text: string): void {
    this.builder.add('paragraph', text)
  }

  addItem(text: string, level: number): void {
    this.builder.add('list_item', text, { level: Math.min(level, MAX_LEVEL) })
  }

  addCode(lines: readonly string[]): void {
    this.builder.add('code', lines.join('\n').replace(/^\n+/, '').trimEnd())
  }

  addTable(header: string, rows: readonly string[]): void {
    this.tables++
    this.builder.add('table_row', header, { table: this.tables, header: true })
    for (const row of rows) this.builder.add('table_row', row, { table: this.tables })
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
        if (kind === 'heading') this.addHeading(content, level ?? 1)
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
}
