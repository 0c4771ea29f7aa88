import { readFile } from 'node:fs/promises'
import { Parser as HtmlParser } from 'htmlparser2'
import { byMark, decodeText } from './encoding.ts'
import { Flow } from './flow.ts'
import { collapse } from './page-builder.ts'
import type { Parser } from './parser.ts'

/** What is no text of the document: code, forms' choices, ways around the site. */
const SKIPPED = new Set('script style noscript template nav svg math iframe object select button head dialog'.split(' '))
/** The same by what the author says a part is for (WAI-ARIA landmarks). */
const SKIPPED_ROLES = new Set(['navigation', 'search', 'banner', 'contentinfo', 'menu', 'menubar', 'dialog', 'alertdialog'])
const HEADINGS: Record<string, number> = { h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 }
const BLOCKS = new Set(
  'address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form header hr main p section summary ul ol li'.split(
    ' ',
  ),
)
/** Within these a footer closes a part of the content, elsewhere the page of a site. */
const SECTIONS = new Set(['article', 'section', 'main', 'blockquote', 'figure'])
/** A main part with less than this share of the text is a mistake of whoever marked it, or an application's empty frame. */
const MAIN_SHARE = 0.2

/**
 * HTML: headings, paragraphs, lists, tables and preformatted text of its main part where it names one; scripts, styles,
 * navigation and what a site puts around every page are dropped.
 */
export const parseHtml: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = decodeHtml(await readFile(file))
  const onePage = { chars: limits.textBytes, pages: 1 }
  let flow = new Flow(onePage)
  const { title, mainShare } = readHtml(text, flow)
  if (mainShare >= MAIN_SHARE && mainShare < 1) {
    flow = new Flow(onePage)
    readHtml(text, flow, { onlyMain: true })
  }
  output.open(1)
  for (const page of flow.build()) output.page(page)
  return {
    title: title ?? flow.firstHeading?.text ?? null,
    pageCount: 1,
    warnings: [],
    facts: { engine: 'htmlparser2', encoding, confidence },
  }
}

/**
 * Blocks of an HTML text into `flow`; its `<title>`, and which share of the text stands in `<main>` (0 without one). Takes any
 * nesting: the parser calls back and never descends. Throws `too_much_text`.
 */
export function readHtml(html: string, flow: Flow, { onlyMain = false } = {}): { title: string | null; mainShare: number } {
  let title: string | null = null
  let inTitle = false
  let skipping: { tag: string; depth: number } | null = null
  let main: { tag: string; depth: number } | null = null
  let sections = 0
  const chars = { all: 0, main: 0 }
  let lists = 0
  let preformatted = 0

  const endBlock = (): void => {
    if (preformatted > 0) flow.end('code')
    else if (lists > 0) flow.end('list_item', lists)
    else flow.end('paragraph')
  }
  const isSkipped = (tag: string, attributes: Record<string, string>): boolean =>
    SKIPPED.has(tag) ||
    'hidden' in attributes ||
    SKIPPED_ROLES.has(attributes['role'] ?? '') ||
    (tag === 'footer' && sections === 0)

  const parser = new HtmlParser(
    {
      onopentag(tag, attributes) {
        if (tag === 'title' && title === null) inTitle = true
        if (skipping !== null) {
          if (tag === skipping.tag) skipping.depth++
          return
        }
        if (isSkipped(tag, attributes)) {
          skipping = { tag, depth: 1 }
          return
        }
        if (SECTIONS.has(tag)) sections++
        if (main !== null && tag === main.tag) main.depth++
        else if (main === null && (tag === 'main' || attributes['role'] === 'main')) {
          endBlock()
          main = { tag, depth: 1 }
        }
        if (onlyMain && main === null) return
        if (tag === 'br') flow.text('\n')
        else if (tag === 'table') {
          endBlock()
          flow.openTable()
        } else if (tag in HEADINGS || BLOCKS.has(tag)) {
          endBlock()
          if (tag === 'ul' || tag === 'ol') lists++
        } else if (tag === 'pre') {
          endBlock()
          preformatted++
        }
      },
      ontext(text) {
        if (inTitle) title = (title ?? '') + text
        else if (skipping === null) {
          const length = text.trim().length
          chars.all += length
          if (main !== null) chars.main += length
          else if (onlyMain) return
          flow.text(preformatted > 0 ? text : text.replace(/\s+/g, ' '))
        }
      },
      onclosetag(tag) {
        if (tag === 'title') inTitle = false
        if (skipping !== null) {
          if (tag === skipping.tag && --skipping.depth === 0) skipping = null
          return
        }
        if (SECTIONS.has(tag)) sections = Math.max(0, sections - 1)
        if (!onlyMain || main !== null) {
          const level = HEADINGS[tag]
          if (level !== undefined) flow.end('heading', level)
          else if (tag === 'td' || tag === 'th') flow.closeCell(tag === 'th')
          else if (tag === 'tr') flow.closeRow()
          else if (tag === 'table') flow.closeTable()
          else if (tag === 'pre') {
            endBlock()
            preformatted = Math.max(0, preformatted - 1)
          } else if (BLOCKS.has(tag)) {
            endBlock()
            if (tag === 'ul' || tag === 'ol') lists = Math.max(0, lists - 1)
          }
        }
        if (main !== null && tag === main.tag && --main.depth === 0) main = null
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  parser.write(html)
  parser.end()
  return {
    title: collapse(title ?? '').replace(/\s+/g, ' ') || null,
    mainShare: chars.all === 0 ? 0 : chars.main / chars.all,
  }
}

/** A byte order mark, then what the document says of itself, then as any text. */
function decodeHtml(bytes: Uint8Array): { text: string; encoding: string; confidence: number } {
  if (byMark(bytes) === null) {
    const declared = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{2,40})/i.exec(
      Buffer.from(bytes.subarray(0, 4096)).toString('latin1'),
    )?.[1]
    // UTF-16 cannot be declared in bytes that were just read as ASCII.
    if (declared !== undefined && !/^utf-?(8|16)/i.test(declared)) {
      try {
        const decoder = new TextDecoder(declared)
        return { text: decoder.decode(bytes), encoding: decoder.encoding, confidence: 0.9 }
      } catch {
        // A charset nobody knows: as any text.
      }
    }
  }
  return decodeText(bytes)
}
