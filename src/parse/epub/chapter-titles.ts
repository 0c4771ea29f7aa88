import { HtmlParser } from '../html/html-parser.ts'
import { collapse } from '../blocks/page-builder.ts'
import { decodeHtml } from '../html/encoding.ts'
import type { Package } from '../package/package.ts'
import { resolvePart } from '../package/part-names.ts'
import { type Book, WITH_DOCTYPE } from './container.ts'

/** Returns what the table of contents calls each part. Of several entries for a part, the first one counts. */
export async function readChapterTitles(parts: Package, { nav, ncx }: Book): Promise<Map<string, string>> {
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
