import { Flow, writeFlow } from '../blocks/flow.ts'
import { cleanTitle, collapse } from '../blocks/page-builder.ts'
import { corrupt, protectedByDrm } from '../failures.ts'
import { HtmlParser } from '../html/html-parser.ts'
import { decodeHtml } from '../html/html.ts'
import { layoutTables } from '../html/layout-tables.ts'
import { readHtml } from '../html/read-html.ts'
import { type Package, resolvePart, withPackage } from '../package/package.ts'
import type { Parser } from '../parser.ts'

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

/** Returns what the table of contents calls each part. If a part has several entries, the first one counts. */
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

const EPUB = 'The EPUB'
/** Old tables of contents and package documents name a DTD, which nothing reads. */
const WITH_DOCTYPE = { allowsDoctype: true }
/** Fonts are often scrambled although the book has no protection (EPUB 3.3, section 4.2.6.4). */
const SCRAMBLED_FONT = /\/embedding$|\/enc#RC$/
const TEXT_TYPES = /^(?:application\/xhtml\+xml|text\/html|application\/x-dtbook\+xml|text\/x-oeb1-document)$/

/** Fallbacks can refer to each other in a circle. */
const MAX_FALLBACKS = 10

interface Book {
  title: string | null
  /** The parts in reading order; null for one without text, such as an image. */
  spine: (string | null)[]
  /** The table of contents: an HTML part of EPUB 3 or an NCX of EPUB 2. Null if the book has none. */
  nav: string | null
  ncx: string | null
}

/** Reads what a book consists of. Throws `corrupt`, `drm_protected`. */
async function readBook(parts: Package): Promise<Book> {
  await refuseProtected(parts)
  let opf: string | null = null
  await parts.readXml(
    'META-INF/container.xml',
    {
      open({ name, attribute }) {
        if (name === 'rootfile') opf ??= attribute('full-path')
      },
    },
    WITH_DOCTYPE,
  )
  if (opf === null) throw corrupt(EPUB)
  return readPackageDocument(parts, opf)
}

/** A book is protected if a part other than a font is encrypted. */
async function refuseProtected(parts: Package): Promise<void> {
  let algorithm = ''
  let isProtected = false
  await parts.readOptionalXml('META-INF/encryption.xml', {
    open({ name, attribute }) {
      if (name === 'EncryptedData') algorithm = ''
      else if (name === 'EncryptionMethod') algorithm ||= attribute('Algorithm') ?? ''
      else if (name === 'CipherReference' && !SCRAMBLED_FONT.test(algorithm) && /\.x?html?$/i.test(attribute('URI') ?? ''))
        isProtected = true
    },
  })
  if (isProtected) throw protectedByDrm()
}

interface Item {
  part: string
  type: string
  isNav: boolean
  /** The ID of what a program shows that can't show the item. */
  fallback: string | null
}

function textPart(items: ReadonlyMap<string, Item>, id: string): string | null {
  let item = items.get(id)
  for (let i = 0; i < MAX_FALLBACKS && item !== undefined; i++) {
    if (TEXT_TYPES.test(item.type)) return item.part
    item = items.get(item.fallback ?? '')
  }
  // A drawing can have the text of the page.
  const own = items.get(id)
  return own?.type === 'image/svg+xml' ? own.part : null
}

async function readPackageDocument(parts: Package, opf: string): Promise<Book> {
  const items = new Map<string, Item>()
  const spine: string[] = []
  let title = ''
  let titles = 0
  let isInTitle = false
  let ncxId: string | null = null
  const found = await parts.readXml(
    opf,
    {
      open({ name, attribute }) {
        if (name === 'title') isInTitle = titles++ === 0
        else if (name === 'item') {
          const part = resolvePart(opf, attribute('href') ?? '')
          const isNav = (attribute('properties') ?? '').split(/\s+/).includes('nav')
          items.set(attribute('id') ?? '', { part, type: attribute('media-type') ?? '', isNav, fallback: attribute('fallback') })
        } else if (name === 'spine') ncxId = attribute('toc')
        else if (name === 'itemref') spine.push(attribute('idref') ?? '')
      },
      text(text) {
        if (isInTitle) title += text
      },
      close(name) {
        if (name === 'title') isInTitle = false
      },
    },
    WITH_DOCTYPE,
  )
  if (!found) throw corrupt(EPUB)
  const all = [...items.values()]
  const ncx = items.get(ncxId ?? '') ?? all.find(({ type }) => type === 'application/x-dtbncx+xml')
  return {
    title: cleanTitle(title),
    spine: spine.map((id) => textPart(items, id)),
    nav: all.find(({ isNav }) => isNav)?.part ?? null,
    ncx: ncx?.part ?? null,
  }
}
