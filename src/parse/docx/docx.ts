import { isDocsearchError } from '../../core/errors.ts'
import { corrupt } from '../failures.ts'
import { Flow, writeFlow } from '../blocks/flow.ts'
import type { Parser } from '../parser.ts'
import { readWithMammoth } from './mammoth.ts'
import { isForMammoth, mainPart, MARGINS, NOTES, inspectDocx, readParts, DOCX_XML } from './parts.ts'
import { type DocxDefinitions, readDefinitions, headingLevel, headingOf, type ParagraphStyles } from './definitions.ts'
import type { Readable } from 'node:stream'
import { ListNumbers } from './list-numbers.ts'
import { visible, type VisibleHandlers } from './visible.ts'
import { type Element, readXml } from '../package/xml.ts'

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

interface Paragraph {
  style: string | null
  /** Depth in a list, from 1; 0 if the paragraph says that it is in none. */
  list: number | null
  outline: number | null
  /** The paragraph's mark was deleted, so the next paragraph continues it. */
  isJoined: boolean
}

/** Numbers of the notes in the order in which the text refers to them. The keys are kind and Word's ID: `footnote 2`. */
type NoteNumbers = Map<string, number>

/**
 * Reads a part of WordprocessingML (document, header, footer, notes, comments, diagrams) as a stream, in memory that doesn't grow
 * with the part. Tracked changes count as accepted. A note begins with its number in brackets, as do the references to it.
 */
async function readWordml(
  stream: Readable,
  flow: Flow,
  { styles, numbering }: DocxDefinitions,
  notes: NoteNumbers = new Map(),
): Promise<void> {
  await readXml(stream, DOCX_XML, visible(new WordmlReader(flow, styles, notes), new ListNumbers(numbering, styles)))
}

class WordmlReader implements VisibleHandlers {
  private readonly flow: Flow
  private readonly styles: ParagraphStyles
  private readonly notes: NoteNumbers
  /** The open paragraphs, from the outermost: a text box has its own within one. */
  private readonly paragraphs: Paragraph[] = []
  private isInText = false
  private isInNote = false
  private readonly row = { isHeader: false, isDeleted: false }

  constructor(flow: Flow, styles: ParagraphStyles, notes: NoteNumbers) {
    this.flow = flow
    this.styles = styles
    this.notes = notes
  }

  open(element: Element, path: readonly string[]): void {
    const { name } = element
    if (name === 'p') {
      // In a text box within a paragraph, the text before the box is a separate block.
      if (this.paragraphs.length > 0) this.endParagraph(this.paragraphs.at(-1))
      this.paragraphs.push({ style: null, list: null, outline: null, isJoined: false })
    } else if (name === 't') this.isInText = true
    else if (name === 'tab') this.flow.text('\t')
    else if (name === 'br' || name === 'cr') this.flow.text('\n')
    else if (name === 'footnoteReference' || name === 'endnoteReference') this.addReference(element)
    else if (name === 'footnote' || name === 'endnote') this.beginNote(element)
    else if (name === 'tbl') this.flow.openTable()
    else if (name === 'tblHeader') this.row.isHeader = true
    else if (name === 'del' && path.at(-1) === 'trPr') this.row.isDeleted = true
    else this.readProperty(element, path)
  }

  text(text: string): void {
    if (this.isInText) this.flow.text(text)
  }

  close(name: string): void {
    if (name === 't') this.isInText = false
    else if (name === 'footnote' || name === 'endnote') this.isInNote = false
    else if (name === 'p') {
      const paragraph = this.paragraphs.pop()
      if (paragraph?.isJoined !== true) this.endParagraph(paragraph)
    } else if (name === 'tc') this.flow.closeCell(false)
    else if (name === 'tr') this.endRow()
    else if (name === 'tbl') this.flow.closeTable()
  }

  insert(text: string): void {
    this.flow.text(text)
  }

  private addReference({ name, attribute }: Element): void {
    const note = `${name.slice(0, -'Reference'.length)} ${attribute('id')}`
    if (!this.notes.has(note)) this.notes.set(note, this.notes.size + 1)
    this.flow.text(`[${this.notes.get(note)}]`)
  }

  private beginNote({ name, attribute }: Element): void {
    const number = this.notes.get(`${name} ${attribute('id')}`)
    if (number === undefined) return
    this.isInNote = true
    this.flow.text(`[${number}] `)
  }

  private readProperty({ name, attribute }: Element, path: readonly string[]): void {
    const paragraph = this.paragraphs.at(-1)
    if (paragraph === undefined) return
    if (name === 'pStyle') paragraph.style = attribute('val')
    else if (name === 'ilvl') paragraph.list = Number(attribute('val') ?? 0) + 1
    else if (name === 'numId') paragraph.list = attribute('val') === '0' ? 0 : (paragraph.list ?? 1)
    else if (name === 'outlineLvl') paragraph.outline = headingLevel(attribute('val'))
    else if (name === 'del' && path.at(-2) === 'pPr') paragraph.isJoined = true
  }

  private endParagraph(paragraph: Paragraph | undefined): void {
    const { style = null, outline = null, list = null } = paragraph ?? {}
    const level = headingOf(this.styles, style, outline)
    const numbering = this.styles.get(style ?? '')?.numbering
    const depth = list ?? (numbering ? (numbering.level ?? 0) + 1 : 0)
    if (level > 0) this.flow.end('heading', level)
    else if (depth > 0 || this.isInNote) this.flow.end('list_item', Math.max(depth, 1))
    else this.flow.end('paragraph')
  }

  private endRow(): void {
    if (this.row.isDeleted) this.flow.dropRow()
    else this.flow.closeRow(this.row.isHeader)
    this.row.isHeader = false
    this.row.isDeleted = false
  }
}
