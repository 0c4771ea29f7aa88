import type { Readable } from 'node:stream'
import type { Flow } from '../blocks/flow.ts'
import { headingLevel, headingOf, type ParagraphStyles } from './styles.ts'
import { visible } from './visible.ts'
import { readXml } from './xml.ts'

interface Paragraph {
  style: string | null
  /** Depth from 1; 0 where the paragraph says that it is in none. */
  list: number | null
  outline: number | null
  /** Its mark was deleted: it goes on in the next one. */
  joined: boolean
}

/** Numbers of the notes, by kind and Word's id (`footnote 2`), in the order in which the text refers to them. */
export type NoteNumbers = Map<string, number>

/**
 * Streams a part of WordprocessingML (document, header, footer, notes, comments, diagrams) into blocks in memory that does not
 * grow with the part. Tracked changes count as accepted; a note begins with its number in brackets, as where it is referred to.
 */
export async function readWordml(
  stream: Readable,
  flow: Flow,
  styles: ParagraphStyles,
  notes: NoteNumbers = new Map(),
): Promise<void> {
  const paragraphs: Paragraph[] = []
  let inText = false
  let inNote = false
  let header = false
  let deleted = false
  const present = (): Paragraph | undefined => paragraphs.at(-1)

  const endParagraph = (paragraph: Paragraph | undefined): void => {
    const { style = null, outline = null, list = null } = paragraph ?? {}
    const level = headingOf(styles, style, outline)
    const numbering = styles.get(style ?? '')?.numbering
    const depth = list ?? (numbering ? numbering.level + 1 : 0)
    if (level > 0) flow.end('heading', level)
    else if (depth > 0 || inNote) flow.end('list_item', Math.max(depth, 1))
    else flow.end('paragraph')
  }

  await readXml(
    stream,
    visible({
      open({ name, attribute }, path) {
        const paragraph = present()
        if (name === 'p') {
          // A text box stands within a paragraph: what came before it is a block of its own.
          if (paragraph !== undefined) endParagraph(paragraph)
          paragraphs.push({ style: null, list: null, outline: null, joined: false })
        } else if (name === 't') inText = true
        else if (name === 'tab') flow.text('\t')
        else if (name === 'br' || name === 'cr') flow.text('\n')
        else if (name === 'footnoteReference' || name === 'endnoteReference') {
          const note = `${name.slice(0, -'Reference'.length)} ${attribute('id')}`
          if (!notes.has(note)) notes.set(note, notes.size + 1)
          flow.text(`[${notes.get(note)}]`)
        } else if (name === 'footnote' || name === 'endnote') {
          const number = notes.get(`${name} ${attribute('id')}`)
          if (number === undefined) return
          inNote = true
          flow.text(`[${number}] `)
        } else if (name === 'tbl') flow.openTable()
        else if (name === 'tblHeader') header = true
        else if (name === 'del' && path.at(-1) === 'trPr') deleted = true
        else if (paragraph === undefined) return
        else if (name === 'pStyle') paragraph.style = attribute('val')
        else if (name === 'ilvl') paragraph.list = Number(attribute('val') ?? 0) + 1
        else if (name === 'numId') paragraph.list = attribute('val') === '0' ? 0 : (paragraph.list ?? 1)
        else if (name === 'outlineLvl') paragraph.outline = headingLevel(attribute('val'))
        else if (name === 'del' && path.at(-2) === 'pPr') paragraph.joined = true
      },
      text(text) {
        if (inText) flow.text(text)
      },
      close(name) {
        if (name === 't') inText = false
        else if (name === 'footnote' || name === 'endnote') inNote = false
        else if (name === 'p') {
          const paragraph = paragraphs.pop()
          if (paragraph?.joined !== true) endParagraph(paragraph)
        } else if (name === 'tc') flow.closeCell(false)
        else if (name === 'tr') {
          if (deleted) flow.dropRow()
          else flow.closeRow(header)
          header = false
          deleted = false
        } else if (name === 'tbl') flow.closeTable()
      },
      insert: (text) => flow.text(text),
    }),
  )
}
