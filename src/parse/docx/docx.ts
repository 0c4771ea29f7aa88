import { isDocsearchError } from '../../core/errors.ts'
import { corrupt } from '../failures.ts'
import { Flow } from '../blocks/flow.ts'
import { collapse } from '../blocks/page-builder.ts'
import type { Parser } from '../parser.ts'
import { readWithMammoth } from './mammoth.ts'
import { isForMammoth, mainPart, MARGINS, NOTES, PROPERTIES, STYLES } from './parts.ts'
import { inspectDocx, readParts } from './zip.ts'
import { type ParagraphStyles, readStyles } from './styles.ts'
import { type NoteNumbers, readWordml } from './wordml.ts'
import { readElementText } from './xml.ts'

/** mammoth takes about 2 s and 120 MB for each MB of XML: beyond this the stream reads, in a tenth of both. */
const MAMMOTH_XML_BYTES = 3_000_000
/** Of one header, footer or set of comments. */
const MARGIN_LIMITS = { chars: 1_000_000, pages: 1_000 }

/**
 * DOCX in pages where the file has page breaks, its own or those that Word came to when it was last saved: mammoth for the body
 * and its notes, a streaming reader for a body that is too large for mammoth or that it fails on, and for headers, footers,
 * comments and diagrams.
 */
export const parseDocx: Parser = async ({ file, limits }, output) => {
  const { sizes } = await inspectDocx(file, limits.xmlBytes)
  const main = await mainPart(file, sizes)
  if (!sizes.has(main)) throw corrupt('The DOCX')
  const { title, styles } = await readProperties(file)
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const forMammoth = [...sizes].reduce((sum, [name, size]) => (isForMammoth(name, main) ? sum + size : sum), 0)
  let engine = 'mammoth'
  if (forMammoth > MAMMOTH_XML_BYTES || !(await readWithMammoth(file, main, flow, styles))) {
    engine = 'stream'
    const numbers: NoteNumbers = new Map()
    await readParts(
      file,
      (name) => name === main,
      (_name, part) => readWordml(part, flow, styles, numbers),
    )
    await readParts(
      file,
      (name) => NOTES.test(name),
      (_name, part) => readWordml(part, flow, styles, numbers),
    )
  }
  await addMargins(file, flow, styles)
  const heading = flow.firstHeading
  const pages = flow.build()
  output.open(pages.length)
  for (const page of pages) output.page(page)
  return {
    title: title ?? (heading !== null && heading.level === 1 ? heading.text : null),
    pageCount: pages.length,
    warnings: [],
    facts: { engine },
  }
}

/** Headers and footers repeat in every section: each distinct text comes once, at the end. */
async function addMargins(file: string, flow: Flow, styles: ParagraphStyles): Promise<void> {
  const seen = new Set<string>()
  await readParts(
    file,
    (name) => MARGINS.test(name),
    async (_name, part) => {
      const margin = new Flow(MARGIN_LIMITS)
      try {
        await readWordml(part, margin, styles)
      } catch (error) {
        // A broken header must not cost the document.
        if (!isDocsearchError(error, 'corrupt')) throw error
      }
      for (const { text, blocks } of margin.build()) {
        for (const block of blocks) {
          const line = text.slice(block.start, block.end)
          if (seen.has(line) || !/\p{L}/u.test(line)) continue
          seen.add(line)
          flow.text(line)
          flow.end('paragraph')
        }
      }
    },
  )
}

async function readProperties(file: string): Promise<{ title: string | null; styles: ParagraphStyles }> {
  let title: string | null = null
  let styles: ParagraphStyles = new Map()
  await readParts(
    file,
    (name) => name === PROPERTIES || STYLES.test(name),
    async (name, part) => {
      try {
        if (name === PROPERTIES) title = collapse((await readElementText(part, 'title')) ?? '').replace(/\s+/g, ' ') || null
        else styles = await readStyles(part)
      } catch (error) {
        // Without its properties a document is still a document.
        if (!isDocsearchError(error, 'corrupt')) throw error
      }
    },
  )
  return { title, styles }
}
