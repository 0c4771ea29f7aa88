import { readFile } from 'node:fs/promises'
import { Flow } from '../blocks/flow.ts'
import { byMark, type DecodedText, decodeText, decodeUtf8 } from '../encoding/decode.ts'
import { scriptEncoding } from '../encoding/detect.ts'
import type { Parser } from '../parser.ts'
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

/** The declaration must be within these bytes. HTML allows 1,024, but pages put more in front of it. */
const HEAD_BYTES = 4096
const META = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{2,40})/i
const XML = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]{2,40})/i
/** The encoding that editors and servers declare without knowing. */
const DEFAULT_DECLARATION = 'windows-1252'

/** Decodes HTML by its byte order mark, then by its declaration unless the bytes contradict it, then like any text. */
export function decodeHtml(bytes: Uint8Array): DecodedText {
  const declared = byMark(bytes) === null ? declaredEncoding(bytes) : null
  if (declared === null || isContradicted(declared, bytes)) return decodeText(bytes)
  return { text: new TextDecoder(declared).decode(bytes), encoding: declared, confidence: 0.9 }
}

function declaredEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    .toString('latin1')
    .replace(/<!--[^]*?-->/g, '')
  const label = (META.exec(head) ?? XML.exec(head))?.[1]
  // A declaration of UTF-16 is false if it can be read as ASCII.
  if (label === undefined || /^(?:utf-?(?:8|16)|x-user-defined)/i.test(label)) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    // An unknown charset is ignored.
    return null
  }
}

/** Text that is valid UTF-8 is UTF-8. And no language of Western Europe has words without any of A to Z. */
function isContradicted(declared: string, bytes: Uint8Array): boolean {
  const utf8 = decodeUtf8(bytes)
  // eslint-disable-next-line no-control-regex
  if (utf8 !== null && /[^\0-\x7f]/.test(utf8.text)) return true
  return declared === DEFAULT_DECLARATION && scriptEncoding(bytes) !== null
}
