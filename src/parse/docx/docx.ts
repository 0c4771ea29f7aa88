import { isDocsearchError } from '../../core/errors.ts'
import { corrupt } from '../failures.ts'
import { Flow, writeFlow } from '../blocks/flow.ts'
import type { Parser } from '../parser.ts'
import { readWithMammoth } from './mammoth.ts'
import { isForMammoth, mainPart, MARGINS, NOTES, inspectDocx, readParts } from './parts.ts'
import { type DocxDefinitions, readDefinitions } from './definitions.ts'
import { type NoteNumbers, readWordml } from './wordml.ts'

/** mammoth takes about 2 s and 120 MB for each MB of XML. Beyond this limit the streaming reader takes over, with a tenth of both. */
const MAX_MAMMOTH_XML_BYTES = 3_000_000
/** Limits of one header, footer or set of comments. */
const MARGIN_LIMITS = { chars: 1_000_000, pages: 1_000 }

/**
 * Reads a DOCX. A page ends at a page break of the author, or where Word broke the page when it last saved the file. mammoth reads
 * the body and the notes. A streaming reader reads headers, footers, comments and diagrams, and a body that is too large for
 * mammoth or that mammoth fails on.
 */
export const parseDocx: Parser = async ({ file, limits }, output) => {
  const sizes = await inspectDocx(file, limits.xmlBytes)
  const main = await mainPart(file, sizes)
  if (!sizes.has(main)) throw corrupt('The DOCX')
  const { title, definitions } = await readDefinitions(file)
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages }, { hasMarks: true })
  const forMammoth = [...sizes].reduce((sum, [name, size]) => (isForMammoth(name, main) ? sum + size : sum), 0)
  let engine = 'mammoth'
  if (forMammoth > MAX_MAMMOTH_XML_BYTES || !(await readWithMammoth(file, main, flow, definitions))) {
    engine = 'stream'
    const numbers: NoteNumbers = new Map()
    await readParts(
      file,
      (name) => name === main,
      (_name, part) => readWordml(part, flow, definitions, numbers),
    )
    await readParts(
      file,
      (name) => NOTES.test(name),
      (_name, part) => readWordml(part, flow, definitions, numbers),
    )
  }
  await addMargins(file, flow, definitions)
  const { pageCount, firstHeading } = writeFlow(flow, output)
  return {
    title: title ?? (firstHeading?.level === 1 ? firstHeading.text : null),
    pageCount,
    warnings: [],
    facts: { engine },
  }
}

/** Adds each distinct text of the headers and footers once, at the end, because they repeat in every section. */
async function addMargins(file: string, flow: Flow, definitions: DocxDefinitions): Promise<void> {
  const seen = new Set<string>()
  await readParts(
    file,
    (name) => MARGINS.test(name),
    async (_name, part) => {
      const margin = new Flow(MARGIN_LIMITS, { hasMarks: true })
      try {
        await readWordml(part, margin, definitions)
      } catch (error) {
        // A broken header is no reason to refuse the document.
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
