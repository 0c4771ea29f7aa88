import { readFile } from 'node:fs/promises'
import { Flow } from '../blocks/flow.ts'
import type { Parser } from '../parser.ts'
import { decodeHtml } from './encoding.ts'
import { layoutTables } from './layout-tables.ts'
import { type HtmlParts, readHtml } from './read-html.ts'
import { siteParts } from './site-parts.ts'

/** A main part with a smaller share of the text was marked by mistake, or is the empty frame of an application. */
const MIN_MAIN_SHARE = 0.2

/**
 * Reads headings, paragraphs, lists, tables and preformatted text of an HTML page, from its main part if it names one. Scripts,
 * styles, navigation and what a site repeats on every page are dropped.
 */
export const parseHtml: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = decodeHtml(await readFile(file))
  const tables = layoutTables(text)
  const around = siteParts(text)
  const read = (parts: HtmlParts) => {
    const flow = new Flow({ chars: limits.textBytes, pages: 1 })
    const { title, mainShare } = readHtml(text, flow, { parts, layoutTables: tables, siteParts: around })
    return { title, mainShare, pages: flow.build(), heading: flow.firstHeading?.text ?? null }
  }
  let result = read('content')
  if (result.mainShare >= MIN_MAIN_SHARE && result.mainShare < 1) result = read('main')
  // All text is in parts that are usually dropped, or a script is meant to show it.
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
