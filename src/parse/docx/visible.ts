import { PAGE_BREAK, PAGE_RENDERED, PAGE_TOP } from '../blocks/flow.ts'
import type { Element, XmlHandlers } from './xml.ts'

/** Text that was moved away, and former properties. Accepting the tracked changes removes these elements. */
const REJECTED = /^(?:moveFrom|\w+PrChange|tblGridChange|numberingChange)$/
/** The character between the parts of an equation when it is written on one line. */
const BEFORE_PART: Readonly<Record<string, string>> = { den: '/', sup: '^', sub: '_' }
/** In these elements, a deletion means the mark of a paragraph or a whole row, not text. */
const ABOUT_MARKS = new Set(['rPr', 'trPr', 'ctrlPr'])
const OFF = /^(?:0|false|off)$/
/** Types of sections that go on where the section before ends. */
const SAME_PAGE = /^(?:continuous|nextColumn)$/

export interface VisibleHandlers {
  /** @param path Names of the elements around it, from the outermost. */
  open(element: Element, path: readonly string[]): void
  text(text: string): void
  close(name: string, qualified: string): void
  /** Called for text that is not in a text element: an equation, a hyphen, or the mark of a new page. */
  insert(text: string, isWithinRun: boolean): void
}

/** An element that is replaced by text: the open elements in it, and the text so far. */
interface Replacement {
  depth: number
  text: string
  isWithinRun: boolean
}

/**
 * Filters WordprocessingML down to what a reader of the document sees: tracked changes accepted, one of two copies of a drawing,
 * equations on one line, and marks where a page begins.
 */
export function visible(handlers: VisibleHandlers): Required<XmlHandlers> {
  const filter = new VisibleFilter(handlers)
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
  /** For each open paragraph, the mark that comes at its end. */
  private readonly ends: string[] = []
  /** Open elements of the part that is being skipped. */
  private skippedDepth = 0
  private replacement: Replacement | null = null
  private startsPage = false
  private section: 'none' | 'new page' | 'same page' = 'none'

  constructor(handlers: VisibleHandlers) {
    this.handlers = handlers
  }

  open(element: Element): void {
    const { name } = element
    if (this.skippedDepth > 0 || this.isSkipped(name)) {
      this.skippedDepth++
      return
    }
    if (this.replacement !== null) {
      this.replacement.depth++
      this.replacement.text += BEFORE_PART[name] ?? ''
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
      if (text.trim() !== '') this.handlers.insert(text, isWithinRun)
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
      (name === 'Fallback' && this.hasText.at(-1) === true)
    )
  }

  private openVisible(element: Element): void {
    const { name, attribute } = element
    if (name === 'AlternateContent') this.hasText.push(false)
    else if (name === 'p') this.ends.push('')
    else if (name === 'pageBreakBefore') this.startsPage ||= !OFF.test(attribute('val') ?? '')
    else if (name === 'sectPr' && this.path.at(-1) === 'pPr') this.section = 'new page'
    else if (name === 'type' && this.section === 'new page' && SAME_PAGE.test(attribute('val') ?? '')) this.section = 'same page'
    this.handlers.open(element, this.path)
  }

  private closeVisible(name: string, qualified: string): void {
    if (name === 'AlternateContent') this.hasText.pop()
    const end = name === 'p' ? this.ends.pop() : undefined
    if (end) this.handlers.insert(end, false)
    this.handlers.close(name, qualified)
    if (name === 'pPr') this.applyParagraphProperties()
  }

  private applyParagraphProperties(): void {
    if (this.startsPage) this.handlers.insert(PAGE_TOP, false)
    if (this.section === 'new page' && this.ends.length > 0) this.ends[this.ends.length - 1] = PAGE_BREAK
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
