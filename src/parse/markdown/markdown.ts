import type { Page } from '../../core/parsed.ts'
import { Flow } from '../blocks/flow.ts'
import { readFrontMatter } from './front-matter.ts'
import { readHtml } from '../html/html.ts'
import { htmlLines } from './html-lines.ts'
import { beginsTable, closesFence, fenceOf, headingOf, indentOf, isRule, itemOf, outdent, underlineOf } from './lines.ts'
import { cleanText, PageBuilder } from '../blocks/page-builder.ts'
import type { Parser } from '../parser.ts'
import { readTextFile } from '../encoding/read-text-file.ts'

const MAX_LEVEL = 6
/** Quotes within quotes; deeper is as deep as this. */
const MAX_QUOTES = 20
/** From so many columns on a line is code, or goes on with what is open. */
const CODE_INDENT = 4
const QUOTE = /^ {0,3}>/

/**
 * Markdown: headings, paragraphs, list items, code and tables of one page, and the blocks of HTML among them. Marks within a
 * line stay as written, so a passage shows what stands in the document; only the marks of a heading, of a quotation, of code and
 * of a table's rule go.
 */
export const parseMarkdown: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  const { page, title, tags } = readMarkdown(text)
  output.open(1)
  output.page(page)
  return { title, tags, pageCount: 1, warnings: [], facts: { engine: 'markdown', encoding, confidence } }
}

/** The page, and what the front matter says of it: its title, else the first heading of the first level, and its tags. */
export function readMarkdown(source: string): { page: Page; title: string | null; tags: string[] } {
  const lines = cleanText(source).split('\n')
  const front = readFrontMatter(lines)
  const reader = new MarkdownReader()
  reader.read(lines.slice(front?.lines ?? 0))
  return { page: reader.builder.build(), title: front?.title ?? reader.title, tags: front?.tags ?? [] }
}

/**
 * This is our own reader because mdast-util-from-markdown 2.1.0 is too slow for the limit of 10 s without a page. It took 34 s and
 * 930 MB for 5 MB of READMEs (ours: 0.6 s and 170 MB), and more than 60 s for 1 MB of `>` or `[a](` (ours: 3 ms).
 */
class MarkdownReader {
  readonly builder = new PageBuilder(1)
  /** The first heading of the first level. */
  title: string | null = null
  private tables = 0

  /** @param quotes How many quotations these lines stand in. */
  read(lines: readonly string[], quotes = 0): void {
    let paragraph: string[] = []
    /** Columns of the open items, from the outermost. */
    let items: number[] = []
    let isItem = false
    let afterBlank = true

    const endParagraph = (): void => {
      // Lines of a paragraph flow together; a line break within it means nothing.
      const text = paragraph.map((line) => line.trim()).join(' ')
      paragraph = []
      if (isItem) this.builder.add('list_item', text, { level: Math.min(items.length, MAX_LEVEL) })
      else this.builder.add('paragraph', text)
      isItem = false
    }

    for (let i = 0; i < lines.length; i++) {
      let line = lines[i] ?? ''
      let text = line.trim()
      if (text === '') {
        endParagraph()
        afterBlank = true
        continue
      }
      let indent = indentOf(line)
      const item = isRule(text) ? null : itemOf(text)
      const isOpen = paragraph.length > 0
      // What is not set in after a blank line is in no list any more.
      if (afterBlank && indent === 0 && item === null) items = []
      afterBlank = false
      if (indent >= CODE_INDENT && items.length === 0) {
        if (isOpen) paragraph.push(line)
        else i = this.readIndentedCode(lines, i)
        continue
      }
      // Within a paragraph a number at a line's beginning is one of its words, and so is a dash with nothing behind it.
      if (
        item !== null &&
        !(isOpen && items.length === 0 && (item.empty || (item.number ?? 1) !== 1)) &&
        !this.isUnderline(text, paragraph, isItem)
      ) {
        endParagraph()
        while ((items.at(-1) ?? -Infinity) > indent - 2) items.pop()
        items.push(indent)
        isItem = true
        const content = text.slice(item.width)
        if (item.empty || !beginsBlock(content)) {
          if (!item.empty) paragraph.push(line)
          continue
        }
        // The item is nothing but code, a heading or a quotation.
        isItem = false
        line = ' '.repeat(indent + item.width) + content
        text = content
        indent += item.width
      }
      const fence = fenceOf(text)
      const heading = headingOf(text)
      const html = fence === null ? htmlLines(lines, i, paragraph.length > 0) : 0
      if (fence !== null) {
        endParagraph()
        const code: string[] = []
        while (++i < lines.length && !closesFence((lines[i] ?? '').trim(), fence)) code.push(outdent(lines[i] ?? '', indent))
        this.addCode(code)
      } else if (heading !== null) {
        endParagraph()
        this.addHeading(heading.text, heading.level)
      } else if (this.isUnderline(text, paragraph, isItem)) {
        const above = paragraph.map((part) => part.trim()).join(' ')
        paragraph = []
        this.addHeading(above, underlineOf(text)!)
      } else if (isRule(text)) {
        endParagraph()
      } else if (text.startsWith('>')) {
        endParagraph()
        const end = quoteEnd(lines, i + 1)
        const inside = [line, ...lines.slice(i + 1, end)].map((each) =>
          each.replace(quotes < MAX_QUOTES ? /^[ \t]*> ?/ : /^[ \t>]+/, ''),
        )
        this.read(inside, Math.min(quotes + 1, MAX_QUOTES))
        i = end - 1
      } else if (html > 0) {
        endParagraph()
        this.addHtml(lines.slice(i, i + html).join('\n'))
        i += html - 1
      } else if (beginsTable(text, lines[i + 1] ?? '')) {
        endParagraph()
        this.tables++
        this.builder.add('table_row', text, { table: this.tables, header: true })
        for (i += 2; isRow(lines[i] ?? ''); i++) this.builder.add('table_row', (lines[i] ?? '').trim(), { table: this.tables })
        i--
      } else {
        paragraph.push(line)
      }
    }
    endParagraph()
  }

  private isUnderline(text: string, paragraph: readonly string[], isItem: boolean): boolean {
    return paragraph.length > 0 && !isItem && underlineOf(text) !== null
  }

  private addHeading(text: string, level: number): void {
    this.builder.add('heading', text, { level })
    if (level === 1) this.title ??= text || null
  }

  private addCode(lines: readonly string[]): void {
    this.builder.add('code', lines.join('\n').replace(/^\n+/, '').trimEnd())
  }

  /** The place of its last line. */
  private readIndentedCode(lines: readonly string[], start: number): number {
    let end = start
    for (let i = start; i < lines.length; i++) {
      const line = lines[i] ?? ''
      if (line.trim() === '') continue
      if (indentOf(line) < CODE_INDENT) break
      end = i
    }
    this.addCode(lines.slice(start, end + 1).map((line) => outdent(line, CODE_INDENT)))
    return end
  }

  private addHtml(html: string): void {
    // The limits are those of the page that it is part of.
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

function beginsBlock(text: string): boolean {
  return fenceOf(text) !== null || headingOf(text) !== null || text.startsWith('>')
}

function isRow(line: string): boolean {
  return line.includes('|') && !beginsBlock(line.trim())
}

/** Behind the last line of a quotation; its paragraph may go on in lines without a mark. */
function quoteEnd(lines: readonly string[], start: number): number {
  let end = start
  for (let goesOn = true; end < lines.length; end++) {
    const line = lines[end] ?? ''
    const text = line.trim()
    if (QUOTE.test(line)) goesOn = text.replace(/^[> \t]+/, '') !== '' && fenceOf(text.replace(/^[> \t]+/, '')) === null
    else if (!goesOn || text === '' || beginsBlock(text) || isRule(text) || itemOf(text) !== null) break
  }
  return end
}
