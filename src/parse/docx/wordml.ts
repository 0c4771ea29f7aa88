import type { Readable } from 'node:stream'
import type { Flow } from '../blocks/flow.ts'
import { type DocxDefinitions, headingLevel, headingOf, type ParagraphStyles } from './definitions.ts'
import { ListNumbers } from './list-numbers.ts'
import { visible, type VisibleHandlers } from './visible.ts'
import { type Element, readXml } from '../package/xml.ts'
import { DOCX_XML } from './parts.ts'

interface Paragraph {
  style: string | null
  /** Depth in a list, from 1; 0 if the paragraph says that it is in none. */
  list: number | null
  outline: number | null
  /** The paragraph's mark was deleted, so the next paragraph continues it. */
  isJoined: boolean
}

/** Numbers of the notes in the order in which the text refers to them. The keys are kind and Word's ID: `footnote 2`. */
export type NoteNumbers = Map<string, number>

/**
 * Reads a part of WordprocessingML (document, header, footer, notes, comments, diagrams) as a stream, in memory that doesn't grow
 * with the part. Tracked changes count as accepted. A note begins with its number in brackets, as do the references to it.
 */
export async function readWordml(
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
      // In a text box within a paragraph, the text before the box is a block of its own.
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
