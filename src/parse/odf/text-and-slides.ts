import { Flow, PAGE_RENDERED, PAGE_TOP, writeFlow } from '../blocks/flow.ts'
import { type Element, together, type XmlHandlers } from '../package/xml.ts'
import type { Parser } from '../parser.ts'
import { OdfListNumbers } from './list-numbers.ts'
import { readOdf } from './open-odf.ts'
import { ListStyles, OdfStyles } from './styles.ts'

const ODT = 'The ODT'
const ODP = 'The ODP'

/**
 * Reads an OpenDocument text. A page ends where the author broke it, or where the writing program broke it when it last saved the
 * file. Notes, comments, headers and footers follow the text.
 */
export const parseOdt: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages }, { hasMarks: true })
  const styles = new OdfStyles()
  const margins = new OdfMargins()
  const lists = new ListStyles()
  const reader = new OdfTextReader(flow, styles, lists)
  const title = await readOdf({ file, limits }, ODT, { styles: together(styles, lists, margins), body: reader })
  reader.finish()
  for (const line of margins.lines) {
    flow.text(line)
    flow.end('paragraph')
  }
  const { pageCount, firstHeading } = writeFlow(flow, output)
  return {
    title: title ?? (firstHeading?.level === 1 ? firstHeading.text : null),
    pageCount,
    warnings: [],
    facts: { engine: 'odf' },
  }
}

/** Reads an OpenDocument presentation. A page is a slide: its title as heading, its texts and tables, and the speaker's notes. */
export const parseOdp: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages }, { hasMarks: true })
  const styles = new OdfStyles()
  const lists = new ListStyles()
  const reader = new OdfTextReader(flow, styles, lists)
  const title = await readOdf({ file, limits }, ODP, { styles: together(styles, lists), body: reader })
  reader.finish()
  const { pageCount, firstHeading } = writeFlow(flow, output)
  return { title: title ?? firstHeading?.text ?? null, pageCount, warnings: [], facts: { engine: 'odf' } }
}

/** Elements without text of the document: deleted text, hints on pronunciation, fields of forms, and how to build an index. */
const SKIPPED = /^(?:tracked-changes|ruby-text|forms|binary-data|object|script|event-listeners|[\w-]+-source|[\w-]+-decls)$/
/** Parts of slides that repeat on each one, and the small image of the slide on its page of notes. */
const RUNNING = new Set(['header', 'footer', 'date-time', 'page-number', 'page'])
const MAX_REPEATED_CELLS = 200
const PLACEHOLDER = /^\s*<.{1,100}>\s*$/
const LETTER = /\p{L}/u

/** Text that is set aside until the end: a note or a comment. */
interface Aside {
  element: 'note' | 'annotation' | 'title' | 'desc'
  text: string
  citation: string
  isInCitation: boolean
  /** Paragraphs count, but not the name of the author and the date. */
  paragraphs: number
}

/**
 * Reads the content of an OpenDocument text or presentation as a stream. Tracked changes count as accepted. Notes follow the text with
 * the numbers of their references in brackets, then comments.
 */
export class OdfTextReader implements Required<XmlHandlers> {
  private readonly flow: Flow
  private readonly styles: OdfStyles
  private readonly notes: string[] = []
  private readonly comments: string[] = []
  private readonly asides: Aside[] = []
  private readonly paragraphs: { style: string | null; level: number }[] = []
  private depth = 0
  private skipDepth = 0
  private readonly numbers: OdfListNumbers
  /** The number of the paragraph, until its text begins. An empty paragraph shows none. */
  private number = ''
  private headerRows = 0
  private isAfterBreak = false
  private slides = 0
  private isHiddenSlide = false
  private frameClass: string | null = null
  private isInPageNumber = false

  constructor(flow: Flow, styles: OdfStyles, lists: ListStyles) {
    this.flow = flow
    this.styles = styles
    this.numbers = new OdfListNumbers(lists)
  }

  open(element: Element): void {
    const { name, attribute } = element
    this.depth++
    if (this.skipDepth > 0) return
    if (SKIPPED.test(name) || (name === 'section' && attribute('display') === 'none')) this.skipDepth = this.depth
    else if (name === 'note' || name === 'annotation' || name === 'title' || name === 'desc') this.setAside(name)
    else if (name === 'note-citation' && this.aside !== undefined) this.aside.isInCitation = true
    else if (name === 's' || name === 'tab' || name === 'line-break') this.add(name === 's' ? ' ' : name === 'tab' ? '\t' : '\n')
    else if (name === 'p' || name === 'h') this.beginParagraph(element)
    else if (name === 'page-number' || name === 'page-count') this.isInPageNumber = true
    else if (this.aside !== undefined) return
    else if (name === 'soft-page-break') this.flow.text(PAGE_RENDERED)
    else if (name === 'list') this.numbers.openList(element)
    else if (name === 'list-item' || name === 'list-header') this.numbers.openItem(element)
    else if (name === 'page') this.beginSlide(element)
    else if (name === 'notes') this.beginNotes()
    else if (name === 'frame' || name === 'custom-shape') this.beginFrame(attribute('class'))
    else this.openTablePart(element)
  }

  text(text: string): void {
    // A presentation has `<number>` there, in the language of the program that wrote it.
    if (this.skipDepth > 0 || (this.isInPageNumber && PLACEHOLDER.test(text))) return
    if (this.aside?.isInCitation) this.aside.citation += text
    else if (this.paragraphs.length > 0 || (this.aside !== undefined && isDescription(this.aside)))
      this.add(text.replace(/\s+/g, ' '))
  }

  close(name: string): void {
    const isSkipped = this.skipDepth > 0
    if (this.skipDepth === this.depth) this.skipDepth = 0
    this.depth--
    if (isSkipped) return
    this.isInPageNumber = false
    if (name === 'p' || name === 'h') this.endParagraph()
    else if (name === this.aside?.element) this.endAside()
    else if (name === 'note-citation' && this.aside !== undefined) this.aside.isInCitation = false
    else if (this.aside !== undefined) return
    else if (name === 'list') this.numbers.closeList()
    else if (name === 'frame' || name === 'custom-shape') this.frameClass = null
    else this.closeTablePart(name)
  }

  /** Writes the notes and comments. Called at the end. */
  finish(): void {
    this.write(this.notes, 'list_item')
    this.write(this.comments, 'paragraph')
  }

  private write(texts: readonly string[], kind: 'list_item' | 'paragraph'): void {
    for (const text of texts) {
      this.flow.text(text)
      this.flow.end(kind, 1)
    }
  }

  private get aside(): Aside | undefined {
    return this.asides.at(-1)
  }

  private add(text: string): void {
    const { aside } = this
    if (aside === undefined) {
      if (this.number !== '' && text.trim() !== '') {
        this.flow.text(this.number)
        this.number = ''
      }
      this.flow.text(text)
    } else if (aside.paragraphs > 0 || isDescription(aside)) aside.text += text
  }

  private setAside(element: Aside['element']): void {
    this.asides.push({ element, text: '', citation: '', isInCitation: false, paragraphs: 0 })
  }

  private endAside(): void {
    const { element, text, citation } = this.asides.pop()!
    const words = text.replace(/\s+/g, ' ').trim()
    if (element === 'note') {
      this.add(`[${citation.trim()}]`)
      if (words !== '') this.notes.push(`[${citation.trim()}] ${words}`)
    } else if (element === 'annotation') {
      if (words !== '') this.comments.push(words)
    } else if (words !== '') this.add(` ${words} `)
  }

  private beginParagraph(element: Element): void {
    const { name, attribute } = element
    if (this.aside !== undefined) {
      this.aside.paragraphs++
      return
    }
    // A text box stands within a paragraph, so the text before the box is a separate block.
    if (this.paragraphs.length > 0) this.endBlock(this.paragraphs.at(-1)!)
    const style = attribute('style-name')
    const level = name === 'h' ? Number(attribute('outline-level') ?? 1) || 1 : 0
    this.paragraphs.push({ style, level })
    if (this.numbers.depth > 0) this.number = this.numbers.takeItem()
    else this.number = level > 0 ? this.numbers.takeHeading(level, element) : ''
    this.breakBefore(this.styles.get('paragraph', style)?.breaksBefore === true)
  }

  private breakBefore(breaks: boolean): void {
    if (breaks || this.isAfterBreak) this.flow.text(PAGE_TOP)
    this.isAfterBreak = false
  }

  private endParagraph(): void {
    if (this.aside !== undefined) {
      this.aside.text += ' '
      this.aside.paragraphs--
      return
    }
    const paragraph = this.paragraphs.pop()
    if (paragraph === undefined) return
    this.endBlock(paragraph)
    this.number = ''
    if (this.styles.get('paragraph', paragraph.style)?.breaksAfter) this.isAfterBreak = true
  }

  private endBlock({ style, level }: { style: string | null; level: number }): void {
    if (this.frameClass === 'title') {
      if (this.isHiddenSlide) this.flow.end('heading', 2)
      else this.flow.end('heading', 1)
    } else if (level > 0) this.flow.end('heading', level)
    else if (this.styles.isTitle(style)) this.flow.end('heading', 1)
    else if (this.numbers.depth > 0) this.flow.end('list_item', this.numbers.depth)
    else this.flow.end('paragraph')
  }

  private beginSlide({ attribute }: Element): void {
    if (this.slides++ > 0) this.flow.nextPage()
    this.isHiddenSlide = this.styles.get('drawing-page', attribute('style-name'))?.isHidden === true
    if (!this.isHiddenSlide) return
    this.flow.text('Slide (hidden)')
    this.flow.end('heading', 1)
  }

  /** The text of the notes themselves decides whether there is a heading for them, and it isn't known yet. */
  private beginNotes(): void {
    this.frameClass = null
    this.flow.announce('Notes', 2)
  }

  private beginFrame(presentationClass: string | null): void {
    this.frameClass = presentationClass
    if (presentationClass !== null && RUNNING.has(presentationClass)) this.skipDepth = this.depth
  }

  private openTablePart({ name, attribute }: Element): void {
    if (name === 'table') {
      this.breakBefore(this.styles.get('table', attribute('style-name'))?.breaksBefore === true)
      this.flow.openTable()
    } else if (name === 'table-header-rows') this.headerRows++
    else if (name === 'table-cell' || name === 'covered-table-cell') {
      const repeated = Math.min(Number(attribute('number-columns-repeated') ?? 1) || 1, MAX_REPEATED_CELLS)
      for (let i = 1; i < repeated; i++) this.flow.closeCell(false)
    }
  }

  private closeTablePart(name: string): void {
    if (name === 'table-cell' || name === 'covered-table-cell') this.flow.closeCell(false)
    else if (name === 'table-row') this.flow.closeRow(this.headerRows > 0)
    else if (name === 'table-header-rows') this.headerRows--
    else if (name === 'table') this.flow.closeTable()
  }
}

function isDescription({ element }: Aside): boolean {
  return element === 'title' || element === 'desc'
}

/** Collects the distinct lines of headers and footers, which repeat on the pages. */
export class OdfMargins implements Required<XmlHandlers> {
  readonly lines = new Set<string>()
  private margins = 0
  private line: string | null = null

  open({ name }: Element): void {
    if (/^(?:header|footer)(?:-left|-first)?$/.test(name)) this.margins++
    else if (name === 'p' && this.margins > 0) this.line = ''
  }

  text(text: string): void {
    if (this.line !== null) this.line += text
  }

  close(name: string): void {
    if (/^(?:header|footer)(?:-left|-first)?$/.test(name)) this.margins--
    else if (name === 'p' && this.line !== null) {
      const line = this.line.replace(/\s+/g, ' ').trim()
      if (LETTER.test(line)) this.lines.add(line)
      this.line = null
    }
  }
}
