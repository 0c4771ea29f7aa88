import type { Page } from '../../core/parsed.ts'
import { cleanText } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/read-text-file.ts'
import type { Parser } from '../parser.ts'
import { BlockReader } from './block-reader.ts'
import { readFrontMatter } from './front-matter.ts'
import { MarkdownPage } from './markdown-page.ts'
import { readReferences } from './references.ts'

/**
 * Reads Markdown into one page of headings, paragraphs, list items, code and table rows, with the blocks of HTML among them.
 * The text is what a reader of the rendered page sees, so that a phrase is found whatever marks are in it. Only the marks and
 * numbers of list items stay, and code is as written.
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
  const content = lines.slice(front?.lines ?? 0)
  const page = new MarkdownPage(readReferences(content))
  new BlockReader(page, content).read()
  return { page: page.build(), title: front?.title ?? page.title, tags: front?.tags ?? [] }
}
