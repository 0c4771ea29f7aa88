import { Flow } from '../blocks/flow.ts'
import { collapse } from '../blocks/page-builder.ts'
import { writeFlow } from '../blocks/write-flow.ts'
import { corrupt } from '../failures.ts'
import { decodeHtml } from '../html/encoding.ts'
import { HtmlParser } from '../html/html-parser.ts'
import { layoutTables } from '../html/layout-tables.ts'
import { readHtml } from '../html/read-html.ts'
import { type Package, withPackage } from '../package/package.ts'
import { resolvePart } from '../package/part-names.ts'
import type { Parser } from '../parser.ts'
import { type Book, EPUB, readBook, WITH_DOCTYPE } from './container.ts'

const MAX_CHAPTER_CHARS = 20_000_000

/**
 * Reads an e-book. A page is a part of its spine, which usually is a chapter. If a chapter begins without a heading, it gets its title from the
 * table of contents. The table of contents itself is skipped. Refuses books with digital rights management.
 */
export const parseEpub: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const title = await withPackage({ file, what: EPUB, maxBytes: limits.xmlBytes }, async (parts) => {
    const book = await readBook(parts)
    const titles = await readChapterTitles(parts, book)
    if (book.spine.length === 0) throw corrupt(EPUB)
    const withoutNav = book.spine.filter((part) => part === null || part !== book.nav)
    // A book of images can name its table of contents as the fallback of each image.
    const chapters = withoutNav.length === 0 ? [book.nav] : withoutNav
    for (const [i, part] of chapters.entries()) {
      if (i > 0) flow.nextPage()
      const bytes = part === null ? null : await parts.readBytesOf(part)
      if (bytes !== null) addChapter(decodeHtml(bytes).text, titles.get(part!) ?? null, flow)
    }
    return book.title
  })
  const { pageCount, firstHeading } = writeFlow(flow, output)
  return { title: title ?? firstHeading?.text ?? null, pageCount, warnings: [], facts: { engine: 'epub' } }
}

function addChapter(html: string, title: string | null, flow: Flow): void {
  const tables = layoutTables(html)
  // Read on its own first, because a chapter can consist of what is usually dropped, and to see how it begins.
  const trial = new Flow({ chars: MAX_CHAPTER_CHARS, pages: 1 })
  readHtml(html, trial, { layoutTables: tables })
  const [first] = trial.build()[0]!.blocks
  if (first?.kind !== 'heading' && title !== null) flow.announce(title, 1)
  readHtml(html, flow, { parts: first === undefined ? 'everything' : 'content', layoutTables: tables })
  flow.end('paragraph')
  // In a book with a fixed layout, a page can be a drawing that has all of the text.
  if (first !== undefined) return
  for (const line of svgText(html)) {
    flow.text(line)
    flow.end('paragraph')
  }
}

/** Returns the texts of a page that is an SVG drawing, each `<text>` as a line. */
function svgText(source: string): string[] {
  const lines: string[] = []
  let depth = 0
  const parser = new HtmlParser(
    {
      onopentag(name) {
        if (name !== 'text' && name !== 'svg:text') return
        if (depth++ === 0) lines.push('')
      },
      ontext(text) {
        if (depth > 0) lines[lines.length - 1] += text
      },
      onclosetag(name) {
        if ((name === 'text' || name === 'svg:text') && depth > 0) depth--
      },
    },
    { xmlMode: true },
  )
  parser.end(source)
  return lines
}

/** Returns what the table of contents calls each part. Of several entries for a part, the first one counts. */
async function readChapterTitles(parts: Package, { nav, ncx }: Book): Promise<Map<string, string>> {
  const titles = nav === null ? new Map<string, string>() : await fromNav(parts, nav)
  return titles.size === 0 && ncx !== null ? fromNcx(parts, ncx) : titles
}

async function fromNav(parts: Package, nav: string): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  const bytes = await parts.readBytesOf(nav)
  if (bytes === null) return titles
  let target: string | null = null
  let text = ''
  let navs = 0
  const parser = new HtmlParser(
    {
      onopentag(name, { href, 'epub:type': type }) {
        // Other lists name the pages of the printed book, and the cover.
        if (name === 'nav') navs = type === undefined || /\btoc\b/.test(type) ? 1 : 0
        else if (name === 'a' && navs > 0 && href !== undefined) [target, text] = [resolvePart(nav, href), '']
      },
      ontext(part) {
        if (target !== null) text += part
      },
      onclosetag(name) {
        if (name === 'a' && target !== null) {
          addTitle(titles, target, text)
          target = null
        }
      },
    },
    { xmlMode: true },
  )
  parser.end(decodeHtml(bytes).text)
  return titles
}

async function fromNcx(parts: Package, ncx: string): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  let label = ''
  let isInLabel = false
  await parts.readOptionalXml(
    ncx,
    {
      open({ name, attribute }) {
        if (name === 'navPoint') label = ''
        else if (name === 'navLabel') isInLabel = true
        else if (name === 'content') addTitle(titles, resolvePart(ncx, attribute('src') ?? ''), label)
      },
      text(text) {
        if (isInLabel) label += text
      },
      close(name) {
        if (name === 'navLabel') isInLabel = false
      },
    },
    WITH_DOCTYPE,
  )
  return titles
}

function addTitle(titles: Map<string, string>, part: string, text: string): void {
  const title = collapse(text).replace(/\s+/g, ' ')
  if (title !== '' && !titles.has(part)) titles.set(part, title)
}
