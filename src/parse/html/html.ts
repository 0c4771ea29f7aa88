import { readFile } from 'node:fs/promises'
import { Parser as HtmlParser } from 'htmlparser2'
import { Flow } from '../blocks/flow.ts'
import { decodeHtml } from './encoding.ts'
import { layoutTables } from './layout-tables.ts'
import { collapse } from '../blocks/page-builder.ts'
import type { Parser } from '../parser.ts'

/** What is no text of the document: code, drawings, what stands there for readers that lack something … */
const CODE = new Set('script style template title svg math iframe object noframes noembed'.split(' '))
/** … forms' choices, ways around the site … */
const SKIPPED = new Set('noscript nav select button dialog'.split(' '))
/** … the same by what the author says a part is for (WAI-ARIA landmarks) … */
const SKIPPED_ROLES = new Set(['navigation', 'search', 'banner', 'contentinfo', 'menu', 'menubar', 'dialog', 'alertdialog'])
/** … and what is not shown. */
const NOT_SHOWN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i
const HEADINGS: Record<string, number> = { h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 }
const BLOCKS = new Set(
  'address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form header hr main p section summary ul ol li'.split(
    ' ',
  ),
)
const ROWS = new Set(['tr', 'thead', 'tbody', 'tfoot'])
const PREFORMATTED = new Set(['pre', 'listing', 'xmp'])
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
  const tables = layoutTables(text)
  const read = (parts: HtmlParts) => {
    const flow = new Flow({ chars: limits.textBytes, pages: 1 })
    const told = readHtml(text, flow, { parts, layoutTables: tables })
    return { ...told, pages: flow.build(), heading: flow.firstHeading?.text ?? null }
  }
  let result = read('content')
  if (result.mainShare >= MAIN_SHARE && result.mainShare < 1) result = read('main')
  // All of it stands in what is usually left out, or is to be shown by a script.
  if (result.pages.every((page) => page.blocks.length === 0)) result = read('everything')
  output.open(result.pages.length)
  for (const page of result.pages) output.page(page)
  return {
    title: result.title ?? result.heading,
    pageCount: result.pages.length,
    warnings: [],
    facts: { engine: 'htmlparser2', encoding, confidence },
  }
}

/** What is read: all but what sites put around their pages, the main part of that, or all that is text. */
export type HtmlParts = 'content' | 'main' | 'everything'

interface HtmlOptions {
  parts?: HtmlParts
  /** Numbers of the tables, in order from 0, whose cells are parts of the page. */
  layoutTables?: ReadonlySet<number>
}

/**
 * Blocks of an HTML text into `flow`; its `<title>`, and which share of the text stands in `<main>` (0 without one). Takes any
 * nesting: the parser calls back and never descends. Throws `too_much_text`.
 */
export function readHtml(
  html: string,
  flow: Flow,
  { parts = 'content', layoutTables: forLayout = new Set() }: HtmlOptions = {},
): { title: string | null; mainShare: number } {
  const onlyMain = parts === 'main'
  let title: string | null = null
  let inTitle = false
  let skipping: { tag: string; depth: number } | null = null
  let main: { tag: string; depth: number } | null = null
  let sections = 0
  const chars = { all: 0, main: 0 }
  let lists = 0
  let preformatted = 0
  /** Level of the open heading, as long as nothing of it has been told. */
  let heading: number | null = null
  /** For each open table, whether its cells are parts of the page. */
  const tables: boolean[] = []
  let tableCount = 0
  let inTableHead = false

  const endBlock = (): void => {
    if (heading !== null) {
      // A heading that was not closed ends with its first block.
      if (flow.end('heading', heading)) heading = null
    } else if (preformatted > 0) flow.newLine()
    else if (lists > 0) flow.end('list_item', lists)
    else flow.end('paragraph')
  }
  const endCode = (): void => {
    if (preformatted > 0) flow.end('code')
    preformatted = 0
  }
  const isSkipped = (tag: string, { hidden, role = '', style = '' }: Record<string, string>): boolean => {
    if (CODE.has(tag)) return true
    if (parts === 'everything') return false
    return (
      SKIPPED.has(tag) ||
      (hidden !== undefined && hidden !== 'until-found') ||
      NOT_SHOWN.test(style) ||
      SKIPPED_ROLES.has(role.trim().toLowerCase().split(/\s+/, 1)[0] ?? '') ||
      (tag === 'footer' && sections === 0)
    )
  }

  const parser = new HtmlParser(
    {
      onopentag(tag, attributes) {
        const isLayout = tag === 'table' && forLayout.has(tableCount++)
        if (skipping !== null) {
          if (tag === skipping.tag) skipping.depth++
          return
        }
        if (tag === 'title' && title === null) {
          inTitle = true
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
          tables.push(isLayout)
          if (!isLayout) flow.openTable()
        } else if (ROWS.has(tag) && tables.at(-1) === false) {
          // A row that was not closed ends here.
          flow.endCaption()
          flow.closeRow(inTableHead)
          if (tag !== 'tr') inTableHead = tag === 'thead'
        } else if (tag in HEADINGS || BLOCKS.has(tag)) {
          if (tag in HEADINGS) endCode()
          endBlock()
          heading = HEADINGS[tag] ?? heading
          if (tag === 'ul' || tag === 'ol') lists++
        } else if (PREFORMATTED.has(tag)) {
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
        if (tag === 'title' && inTitle) {
          inTitle = false
          return
        }
        if (skipping !== null) {
          if (tag === skipping.tag && --skipping.depth === 0) skipping = null
          return
        }
        if (SECTIONS.has(tag)) sections = Math.max(0, sections - 1)
        if (!onlyMain || main !== null) {
          const inLayout = tables.at(-1) === true
          if (tag in HEADINGS) {
            endBlock()
            heading = null
          } else if (tag === 'td' || tag === 'th') {
            if (inLayout) endBlock()
            else flow.closeCell(tag === 'th')
          } else if (tag === 'tr') {
            if (!inLayout) flow.closeRow(inTableHead)
          } else if (tag === 'thead') inTableHead = false
          else if (tag === 'caption' && !inLayout) flow.endCaption()
          else if (tag === 'table') {
            if (tables.pop() === true) endBlock()
            else flow.closeTable()
          } else if (PREFORMATTED.has(tag)) {
            if (preformatted === 1) endCode()
            else preformatted = Math.max(0, preformatted - 1)
          } else if (BLOCKS.has(tag)) {
            endBlock()
            if (tag === 'ul' || tag === 'ol') lists = Math.max(0, lists - 1)
          }
        }
        if (main !== null && tag === main.tag && --main.depth === 0) main = null
      },
    },
    // An XHTML document closes elements in their own tag, `<title/>`, which HTML knows nothing of.
    /^\s*<\?xml/.test(html) ? { recognizeSelfClosing: true, recognizeCDATA: true } : {},
  )
  parser.write(html)
  parser.end()
  return {
    title: collapse(title ?? '').replace(/\s+/g, ' ') || null,
    mainShare: chars.all === 0 ? 0 : chars.main / chars.all,
  }
}
