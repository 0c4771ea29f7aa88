import type { Page } from '../../core/parsed.ts'
import { cleanText } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/read-text-file.ts'
import type { Parser } from '../parser.ts'
import { BlockReader } from './block-reader.ts'
import { readFrontMatter } from './front-matter.ts'
import { MarkdownPage } from './markdown-page.ts'

/**
 * Reads Markdown into one page of headings, paragraphs, list items, code and table rows, with the blocks of HTML among them.
 * Marks within a line stay as written, so that a passage shows the source. Only the marks of headings, quotations and code, and
 * the rule of a table, are dropped.
 */
export const parseMarkdown: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  const { page, title, tags } = readMarkdown(text)
  output.open(1)
  output.page(page)
  return { title, tags, pageCount: 1, warnings: [], facts: { engine: 'markdown', encoding, confidence } }
}

/** Returns the page, its tags, and its title: from the front matter, else the first heading of the first level. */
export function readMarkdown(source: string): { page: Page; title: string | null; tags: string[] } {
  const lines = cleanText(source).split('\n')
  const front = readFrontMatter(lines)
  const page = new MarkdownPage()
  new BlockReader(page, lines.slice(front?.lines ?? 0)).read()
  return { page: page.build(), title: front?.title ?? page.title, tags: front?.tags ?? [] }
}
