import type { Page } from '../core/parsed.ts'
import { readFrontMatter } from './front-matter.ts'
import { cleanText, PageBuilder } from './page-builder.ts'
import type { Parser } from './parser.ts'
import { readTextFile } from './read-text-file.ts'

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\S/
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

/**
 * Markdown: headings, paragraphs, list items, fenced code and tables of one page. Marks within a line stay as written, so a
 * passage shows what stands in the document; only the marks of a heading, of a fence and of a table's rule go.
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
  const builder = new PageBuilder(1)
  const front = readFrontMatter(lines)
  let title = front?.title ?? null
  let paragraph: string[] = []
  let tables = 0
  let i = front?.lines ?? 0

  const heading = (text: string, level: number): void => {
    builder.add('heading', text, { level })
    if (level === 1) title ??= text
  }
  const endParagraph = (): void => {
    const first = paragraph[0]
    if (first === undefined) return
    // Lines of a paragraph flow together; a line break within it means nothing.
    const text = paragraph.map((line) => line.trim()).join(' ')
    const indent = ITEM.exec(first)?.[1]
    if (indent === undefined) builder.add('paragraph', text)
    else builder.add('list_item', text, { level: Math.min(6, 1 + Math.floor(indent.replaceAll('\t', '    ').length / 2)) })
    paragraph = []
  }

  for (; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const fence = FENCE.exec(line)?.[1]
    const atx = ATX_HEADING.exec(line)
    if (fence !== undefined) {
      endParagraph()
      const code: string[] = []
      while (++i < lines.length && !(lines[i] ?? '').trimStart().startsWith(fence)) code.push(lines[i] ?? '')
      builder.add('code', code.join('\n').replace(/^\n+|\s+$/g, ''))
    } else if (atx !== null) {
      endParagraph()
      heading((atx[2] ?? '').trim(), atx[1]?.length ?? 1)
    } else if (paragraph.length > 0 && SETEXT.test(line) && !ITEM.test(paragraph[0] ?? '')) {
      const text = paragraph.map((part) => part.trim()).join(' ')
      paragraph = []
      heading(text, line.includes('=') ? 1 : 2)
    } else if (line.trim() === '' || RULE.test(line)) {
      endParagraph()
    } else if (
      paragraph.length === 0 &&
      line.includes('|') &&
      TABLE_RULE.test(lines[i + 1] ?? '') &&
      (lines[i + 1] ?? '').includes('-')
    ) {
      tables++
      builder.add('table_row', line.trim(), { table: tables, header: true })
      for (i += 2; i < lines.length && (lines[i] ?? '').includes('|'); i++)
        builder.add('table_row', (lines[i] ?? '').trim(), { table: tables })
      i--
    } else {
      if (ITEM.test(line)) endParagraph()
      paragraph.push(line)
    }
  }
  endParagraph()
  return { page: builder.build(), title, tags: front?.tags ?? [] }
}
