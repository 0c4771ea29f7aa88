import { PAGE_BREAK, PAGE_RENDERED, PAGE_TOP } from '../blocks/flow.ts'
import type { ListNumbers, ParagraphNumbering } from './list-numbers.ts'
import { levelIndex } from './definitions.ts'
import type { Element, XmlHandlers } from '../package/xml.ts'

/** Text that was moved away, and former properties. Accepting the tracked changes removes these elements. */
const REJECTED = /^(?:moveFrom|\w+PrChange|tblGridChange|numberingChange)$/
/** The character between the parts of an equation when it is written on one line. */
const BEFORE_PART: ReadonlyMap<string, string> = new Map([
  ['den', '/'],
  ['sup', '^'],
  ['sub', '_'],
])
/** In these elements, a deletion means the mark of a paragraph or a whole row, not text. */
const ABOUT_MARKS = new Set(['rPr', 'trPr', 'ctrlPr'])
const OFF = /^(?:0|false|off)$/
/** Types of sections that go on where the section before ends. */
const SAME_PAGE = /^(?:continuous|nextColumn)$/

/** Elements with an image, and the elements in them with its description. */
const DRAWINGS = new Set(['drawing', 'pict', 'object'])
const DESCRIBED = new Set(['docPr', 'shape', 'rect'])
/** In the properties of a paragraph: its mark was deleted or moved away. */
const MARK_REMOVED = new Set(['del', 'moveFrom'])
const MARK = /^[\uFDD0-\uFDD2]/

export interface VisibleHandlers {
  /** @param path Names of the elements around it, from the outermost. */
  open(element: Element, path: readonly string[]): void
  text(text: string): void
  close(name: string, qualified: string): void
  /** Called for text that is not in a text element: an equation, a hyphen, or the mark of a new page. */
  insert(text: string, isWithinRun: boolean): void
}

interface OpenParagraph {
  /** The mark that comes at its end. */
  end: string
  /** Its number in a list, until it is written. */
  number: string
  numbering: ParagraphNumbering
  /** Its mark was deleted: it has a number only if text is left, which the next paragraph then continues. */
  isDeleted: boolean
  /** Open fields at its beginning. */
  fields: number
}

/** An element that is replaced by text: the open elements in it, and the text so far. */
interface Replacement {
  depth: number
  text: string
  isWithinRun: boolean
}

/**
 * Filters WordprocessingML down to what a reader of the document sees: tracked changes accepted, one of two copies of a drawing,
 * equations on one line, the numbers of lists, the descriptions of images, and marks where a page begins. Of a field it keeps the
 * result that the file has.
 */
export function visible(handlers: VisibleHandlers, numbers: ListNumbers): Required<XmlHandlers> {
  const filter = new VisibleFilter(handlers, numbers)
  return {
    open: (element) => filter.open(element),
    text: (text) => filter.text(text),
    close: (name, qualified) => filter.close(name, qualified),
  }
}

class VisibleFilter {
  private readonly handlers: VisibleHandlers
  private readonly path: string[] = []
  /** For each open element with alternatives, whether the first alternative had text. */
  private readonly hasText: boolean[] = []
  private readonly numbers: ListNumbers
  private readonly paragraphs: OpenParagraph[] = []
  /** The next paragraph continues the one before, whose mark was deleted. */
  private isContinued = false
  /** The open fields, from the outermost: true within the instruction, which readers don't see. */
  private readonly fields: boolean[] = []
  /** Descriptions of the open drawings. */
  private readonly descriptions: string[] = []
  /** Open elements of the part that is being skipped. */
  private skippedDepth = 0
  private replacement: Replacement | null = null
  private startsPage = false
  private section: 'none' | 'new page' | 'same page' = 'none'

  constructor(handlers: VisibleHandlers, numbers: ListNumbers) {
    this.handlers = handlers
    this.numbers = numbers
  }

  open(element: Element): void {
    const { name } = element
    if (MARK_REMOVED.has(name) && this.path.at(-1) === 'rPr' && this.path.at(-2) === 'pPr') {
      const paragraph = this.paragraphs.at(-1)
      if (paragraph !== undefined) paragraph.isDeleted = true
    }
    if (this.skippedDepth > 0 || this.isSkipped(name)) {
      this.skippedDepth++
      return
    }
    if (this.replacement !== null) {
      this.replacement.depth++
      this.replacement.text += BEFORE_PART.get(name) ?? ''
    } else {
      this.replacement = replacementOf(element)
      if (this.replacement === null) this.openVisible(element)
    }
    this.path.push(name)
  }

  text(text: string): void {
    if (this.skippedDepth > 0) return
    const isText = this.path.at(-1) === 't'
    if (isText) this.hasText.fill(true)
    if (this.replacement === null) this.handlers.text(text)
    else if (isText) this.replacement.text += text
  }

  close(name: string, qualified: string): void {
    if (this.skippedDepth > 0) {
      this.skippedDepth--
      return
    }
    this.path.pop()
    if (this.replacement === null) this.closeVisible(name, qualified)
    else if (--this.replacement.depth === 0) {
      const { text, isWithinRun } = this.replacement
      if (text.trim() !== '') {
        if (!MARK.test(text)) this.writeNumber(isWithinRun)
        this.handlers.insert(text, isWithinRun)
      }
      this.replacement = null
    }
  }

  private isSkipped(name: string): boolean {
    const parent = this.path.at(-1) ?? ''
    return (
      REJECTED.test(name) ||
      (name === 'del' && !ABOUT_MARKS.has(parent)) ||
      // The pronunciation in small letters above the text.
      (name === 'rt' && parent === 'ruby') ||
      (name === 'Fallback' && this.hasText.at(-1) === true) ||
      (name === 't' && this.fields.includes(true))
    )
  }

  private openVisible(element: Element): void {
    const { name, attribute } = element
    if (name === 'AlternateContent') this.hasText.push(false)
    else if (name === 'p')
      this.paragraphs.push({
        end: '',
        number: '',
        numbering: { style: null, list: null, level: null },
        isDeleted: false,
        fields: this.fields.length,
      })
    else if (name === 't') this.writeNumber(true)
    else if (name === 'fldChar') this.readField(attribute('fldCharType'))
    else if (DRAWINGS.has(name)) this.descriptions.push('')
    else if (DESCRIBED.has(name)) this.describe(attribute(name === 'docPr' ? 'descr' : 'alt'))
    else this.readProperty(element)
    this.handlers.open(element, this.path)
  }

  private readProperty({ name, attribute }: Element): void {
    const numbering = this.paragraphs.at(-1)?.numbering
    const parent = this.path.at(-1)
    if (name === 'pStyle' && parent === 'pPr' && numbering !== undefined) numbering.style = attribute('val')
    else if (name === 'numId' && parent === 'numPr' && numbering !== undefined) numbering.list = attribute('val')
    else if (name === 'ilvl' && parent === 'numPr' && numbering !== undefined) numbering.level = levelIndex(attribute('val'))
    else if (name === 'pageBreakBefore') this.startsPage ||= !OFF.test(attribute('val') ?? '')
    else if (name === 'sectPr' && this.path.at(-1) === 'pPr') this.section = 'new page'
    else if (name === 'type' && this.section === 'new page' && SAME_PAGE.test(attribute('val') ?? '')) this.section = 'same page'
  }

  /** Writes the number of the open paragraph in front of its first text. An empty paragraph shows none that anybody could read. */
  private writeNumber(isWithinRun: boolean): void {
    const paragraph = this.paragraphs.at(-1)
    if (paragraph === undefined) return
    if (paragraph.isDeleted && !this.isContinued) {
      this.isContinued = true
      paragraph.number = this.numbers.next(paragraph.numbering)
    }
    if (paragraph.number === '') return
    this.handlers.insert(paragraph.number, isWithinRun)
    paragraph.number = ''
  }

  private readField(type: string | null): void {
    if (type === 'begin') this.fields.push(true)
    else if (type === 'separate' && this.fields.length > 0) this.fields[this.fields.length - 1] = false
    else if (type === 'end') this.fields.pop()
  }

  private describe(description: string | null): void {
    if (description !== null && this.descriptions.length > 0) this.descriptions[this.descriptions.length - 1] ||= description
  }

  private closeVisible(name: string, qualified: string): void {
    if (name === 'AlternateContent') this.hasText.pop()
    const paragraph = name === 'p' ? this.paragraphs.pop() : undefined
    if (paragraph !== undefined) {
      if (paragraph.end !== '') this.handlers.insert(paragraph.end, false)
      // No instruction goes on in the next paragraph. Without this, a field that never ends would hide the rest of the document.
      for (let i = paragraph.fields; i < this.fields.length; i++) this.fields[i] = false
    }
    this.handlers.close(name, qualified)
    if (name === 'pPr') this.applyParagraphProperties()
    if (DRAWINGS.has(name)) this.closeDrawing()
  }

  private closeDrawing(): void {
    const description = this.descriptions.pop()?.trim() ?? ''
    // Within another drawing, no text is read.
    if (description === '' || this.descriptions.length > 0) return
    this.hasText.fill(true)
    this.writeNumber(true)
    this.handlers.insert(` ${description} `, true)
  }

  private applyParagraphProperties(): void {
    if (this.startsPage) this.handlers.insert(PAGE_TOP, false)
    const paragraph = this.paragraphs.at(-1)
    if (paragraph !== undefined) {
      if (this.section === 'new page') paragraph.end = PAGE_BREAK
      if (!paragraph.isDeleted && !this.isContinued) paragraph.number = this.numbers.next(paragraph.numbering)
      this.isContinued &&= paragraph.isDeleted
    }
    this.startsPage = false
    this.section = 'none'
  }
}

function replacementOf({ name, attribute }: Element): Replacement | null {
  if (name === 'oMath') return { depth: 1, text: '', isWithinRun: false }
  if (name === 'lastRenderedPageBreak') return { depth: 1, text: PAGE_RENDERED, isWithinRun: true }
  if (name === 'br' && attribute('type') === 'page') return { depth: 1, text: PAGE_BREAK, isWithinRun: true }
  if (name === 'noBreakHyphen') return { depth: 1, text: '-', isWithinRun: true }
  // Word shows it only at the end of a line.
  if (name === 'softHyphen') return { depth: 1, text: '', isWithinRun: true }
  return null
}
