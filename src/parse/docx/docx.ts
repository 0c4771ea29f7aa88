import mammoth from 'mammoth'
import { isDocsearchError } from '../../core/errors.ts'
import { corrupt } from '../failures.ts'
import { Flow } from '../flow.ts'
import { readHtml } from '../html.ts'
import { collapse } from '../page-builder.ts'
import type { Parser } from '../parser.ts'
import { inspectDocx, readParts } from './zip.ts'
import { type HeadingStyles, readElementText, readHeadingStyles, readWordml } from './wordml.ts'

/** mammoth takes about 2 s and 120 MB for each MB of XML: beyond this the stream reads, in a tenth of both. */
const MAMMOTH_XML_BYTES = 3_000_000
const MAIN = 'word/document.xml'
const NOTES = /^word\/(footnotes|endnotes)\.xml$/
/** Of one header, footer or set of comments. */
const MARGIN_CHARS = 1_000_000
/** What mammoth leaves out. */
const MARGINS = /^word\/(header\d*|footer\d*|comments)\.xml$/

/**
 * DOCX as one page (where Word would break a page is known only to Word): mammoth for the body and its notes, a streaming
 * reader for a body that is too large for mammoth or that it fails on, and for headers, footers and comments.
 */
export const parseDocx: Parser = async ({ file, limits }, output) => {
  const { sizes } = await inspectDocx(file, limits.xmlBytes)
  if (!sizes.has(MAIN)) throw corrupt('The DOCX')
  const { title, styles } = await readProperties(file)
  let engine = 'mammoth'
  let flow = sizes.get(MAIN)! <= MAMMOTH_XML_BYTES ? await withMammoth(file, limits.textBytes) : null
  if (flow === null) {
    engine = 'stream'
    flow = new Flow(limits.textBytes)
    await stream(file, (name) => name === MAIN, flow, styles)
    await stream(file, (name) => NOTES.test(name), flow, styles)
  }
  await addMargins(file, flow, styles)
  const heading = flow.firstHeading
  const page = flow.build()
  output.open(1)
  output.page(page)
  return {
    title: title ?? (heading !== null && heading.level === 1 ? heading.text : null),
    pageCount: 1,
    warnings: [],
    facts: { engine },
  }
}

async function withMammoth(file: string, maxChars: number): Promise<Flow | null> {
  try {
    const { value } = await mammoth.convertToHtml(
      { path: file },
      {
        // Pictures have no text, and turning them into data URIs costs memory.
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
        includeEmbeddedStyleMap: false,
      },
    )
    return readHtml(value, maxChars).flow
  } catch (error) {
    if (isDocsearchError(error)) throw error
    // The stream reader is the second opinion: it reads what mammoth stumbles over, or says itself what is wrong.
    return null
  }
}

async function stream(file: string, wanted: (name: string) => boolean, flow: Flow, styles: HeadingStyles): Promise<void> {
  await readParts(file, wanted, (_name, part) => readWordml(part, flow, styles))
}

/** Headers and footers repeat in every section: each distinct text comes once, at the end. */
async function addMargins(file: string, flow: Flow, styles: HeadingStyles): Promise<void> {
  const seen = new Set<string>()
  await readParts(
    file,
    (name) => MARGINS.test(name),
    async (_name, part) => {
      const margin = new Flow(MARGIN_CHARS)
      try {
        await readWordml(part, margin, styles)
      } catch (error) {
        // A broken header must not cost the document.
        if (!isDocsearchError(error, 'corrupt')) throw error
      }
      const { text, blocks } = margin.build()
      for (const block of blocks) {
        const line = text.slice(block.start, block.end)
        if (seen.has(line) || !/\p{L}/u.test(line)) continue
        seen.add(line)
        flow.text(line)
        flow.end('paragraph')
      }
    },
  )
}

async function readProperties(file: string): Promise<{ title: string | null; styles: HeadingStyles }> {
  let title: string | null = null
  let styles: HeadingStyles = new Map()
  await readParts(
    file,
    (name) => name === 'docProps/core.xml' || name === 'word/styles.xml',
    async (name, part) => {
      try {
        if (name === 'word/styles.xml') styles = await readHeadingStyles(part)
        else title = collapse((await readElementText(part, 'title')) ?? '').replace(/\s+/g, ' ') || null
      } catch (error) {
        // Without its properties a document is still a document.
        if (!isDocsearchError(error, 'corrupt')) throw error
      }
    },
  )
  return { title, styles }
}
