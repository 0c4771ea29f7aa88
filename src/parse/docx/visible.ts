import { PAGE_BREAK, PAGE_RENDERED, PAGE_TOP } from '../blocks/flow.ts'
import type { Element, XmlHandlers } from './xml.ts'

/** Deleted or moved away, or what a property was before: accepting the changes takes these out. */
const REJECTED = /^(?:moveFrom|\w+PrChange|tblGridChange|numberingChange)$/
/** What stands between the parts of an equation that is written on one line. */
const BEFORE_PART: Readonly<Record<string, string>> = { den: '/', sup: '^', sub: '_' }
/** Within these a deletion is that of a paragraph's mark or of a row, and not of what stands in it. */
const ABOUT_MARKS = new Set(['rPr', 'trPr', 'ctrlPr'])
const OFF = /^(?:0|false|off)$/
/** Sections that go on where the one before ends. */
const SAME_PAGE = /^(?:continuous|nextColumn)$/

export interface VisibleHandlers {
  /** @param path Names of the elements around it, from the outermost. */
  open(element: Element, path: readonly string[]): void
  text(text: string): void
  close(name: string, qualified: string): void
  /** Text that stands in the document otherwise than in an element of text: an equation, or a mark of a new page. */
  insert(text: string, withinRun: boolean): void
}

/**
 * What a reader of the document would see of its XML: tracked changes accepted, one of two copies of a drawing, equations on
 * one line, and marks where a page begins.
 */
export function visible(handlers: VisibleHandlers): Required<XmlHandlers> {
  const path: string[] = []
  /** For each open choice of two copies, whether the first had text. */
  const choices: boolean[] = []
  /** For each open paragraph, what comes at its end. */
  const ends: string[] = []
  let skip = 0
  /** Depth and text so far of an element that is replaced by its text. */
  let replaced: { depth: number; text: string; withinRun: boolean } | null = null
  let startsPage = false
  let section: 'none' | 'new page' | 'same page' = 'none'

  const isSkipped = (name: string): boolean =>
    REJECTED.test(name) ||
    (name === 'del' && !ABOUT_MARKS.has(path.at(-1) ?? '')) ||
    // How it is pronounced, in small above it.
    (name === 'rt' && path.at(-1) === 'ruby') ||
    (name === 'Fallback' && choices.at(-1) === true)

  const replacementOf = ({ name, attribute }: Element): typeof replaced => {
    if (name === 'oMath') return { depth: 1, text: '', withinRun: false }
    if (name === 'lastRenderedPageBreak') return { depth: 1, text: PAGE_RENDERED, withinRun: true }
    if (name === 'br' && attribute('type') === 'page') return { depth: 1, text: PAGE_BREAK, withinRun: true }
    // One that may end no line is one all the same; one that shows only at a line's end is none.
    if (name === 'noBreakHyphen' || name === 'softHyphen')
      return { depth: 1, text: name === 'softHyphen' ? '' : '-', withinRun: true }
    return null
  }

  return {
    open(element) {
      const { name, attribute } = element
      if (skip > 0 || isSkipped(name)) {
        skip++
        return
      }
      if (replaced !== null) {
        replaced.depth++
        replaced.text += BEFORE_PART[name] ?? ''
      } else if ((replaced = replacementOf(element)) === null) {
        if (name === 'AlternateContent') choices.push(false)
        else if (name === 'p') ends.push('')
        else if (name === 'pageBreakBefore') startsPage ||= !OFF.test(attribute('val') ?? '')
        else if (name === 'sectPr' && path.at(-1) === 'pPr') section = 'new page'
        else if (name === 'type' && section === 'new page' && SAME_PAGE.test(attribute('val') ?? '')) section = 'same page'
        handlers.open(element, path)
      }
      path.push(name)
    },
    text(text) {
      if (skip > 0) return
      const isText = path.at(-1) === 't'
      if (isText && choices.length > 0) choices.fill(true)
      if (replaced === null) handlers.text(text)
      else if (isText) replaced.text += text
    },
    close(name, qualified) {
      if (skip > 0) {
        skip--
        return
      }
      path.pop()
      if (replaced !== null) {
        if (--replaced.depth > 0) return
        if (replaced.text.trim() !== '') handlers.insert(replaced.text, replaced.withinRun)
        replaced = null
        return
      }
      if (name === 'AlternateContent') choices.pop()
      const end = name === 'p' ? ends.pop() : undefined
      if (end) handlers.insert(end, false)
      handlers.close(name, qualified)
      if (name !== 'pPr') return
      if (startsPage) handlers.insert(PAGE_TOP, false)
      if (section === 'new page' && ends.length > 0) ends[ends.length - 1] = PAGE_BREAK
      startsPage = false
      section = 'none'
    },
  }
}
