import { readFile } from 'node:fs/promises'
import { Flow, writeFlow } from '../blocks/flow.ts'
import { cleanTitle } from '../blocks/page-builder.ts'
import { corrupt } from '../failures.ts'
import { readHtml } from '../html/read-html.ts'
import type { Parser } from '../parser.ts'
import { beginsAsRtf } from '../sniff/begins-as.ts'
import { RtfReader } from './rtf-reader.ts'
import { readTokens } from './tokens.ts'

/** Reads Rich Text Format: paragraphs, headings, lists and tables. Notes, comments, headers and footers follow the text. */
export const parseRtf: Parser = async ({ file, limits }, output) => {
  const bytes = await readFile(file)
  if (!beginsAsRtf(bytes)) throw corrupt('The RTF file')
  const { flow, title, isHtml } = readRtf(bytes, { chars: limits.textBytes, pages: limits.pages })
  const { pageCount, firstHeading } = writeFlow(flow, output)
  const heading = firstHeading?.level === 1 ? firstHeading.text : null
  return { title: title ?? heading, pageCount, warnings: [], facts: { engine: 'rtf', ...(isHtml && { html: true }) } }
}

/** Reads RTF, or the HTML that Outlook wrapped in it, into a flow. Throws `too_much_text`, `too_many_pages`. */
export function readRtf(
  bytes: Uint8Array,
  max: { chars: number; pages: number },
): { flow: Flow; title: string | null; isHtml: boolean } {
  const { flow, reader } = readAll(bytes, max)
  const title = cleanTitle(reader.title)
  if (reader.html === null) return { flow, title, isHtml: false }
  const page = new Flow(max)
  const result = readHtml(reader.html, page)
  return { flow: page, title: title ?? result.title, isHtml: true }
}

/** Reads the body of a message: the HTML that Outlook wrapped, or else the text. Throws `too_much_text`, `too_many_pages`. */
export function readRtfBody(bytes: Uint8Array, max: { chars: number; pages: number }): { text: string } | { html: string } {
  const { flow, reader } = readAll(bytes, max)
  if (reader.html !== null) return { html: reader.html }
  return {
    text: flow
      .build()
      .map((page) => page.text)
      .join('\n\n'),
  }
}

function readAll(bytes: Uint8Array, max: { chars: number; pages: number }): { flow: Flow; reader: RtfReader } {
  const flow = new Flow(max, { hasMarks: true })
  const reader = new RtfReader(bytes, flow)
  readTokens(bytes, reader)
  reader.finish()
  return { flow, reader }
}
