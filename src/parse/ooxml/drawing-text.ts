import type { Element, XmlHandlers } from '../package/xml.ts'

export interface DrawingParagraph {
  text: string
  /** The depth in a list, from 0. */
  level: number
  /** Whether the paragraph itself turns its bullet on or off; null if it leaves that to its shape. */
  bullet: boolean | null
}

/** Fields whose text says nothing about the content. */
const PAGE_FIELDS = /^(?:slidenum|datetime)/i

/** Collects the paragraphs of DrawingML, the language for text in slides, diagrams, charts and drawings. */
export class DrawingText implements Required<XmlHandlers> {
  private readonly done: (paragraph: DrawingParagraph) => void
  private paragraph: DrawingParagraph | null = null
  private isInText = false
  private isInPageField = false

  /** @param done Called with each paragraph that has text. */
  constructor(done: (paragraph: DrawingParagraph) => void) {
    this.done = done
  }

  open({ name, attribute }: Element): void {
    if (name === 'p') this.paragraph = { text: '', level: 0, bullet: null }
    else if (this.paragraph === null) return
    else if (name === 't') this.isInText = true
    else if (name === 'br') this.paragraph.text += '\n'
    else if (name === 'fld') this.isInPageField = PAGE_FIELDS.test(attribute('type') ?? '')
    else if (name === 'pPr') this.paragraph.level = Math.max(0, Math.trunc(Number(attribute('lvl') ?? 0)) || 0)
    else if (name === 'buNone') this.paragraph.bullet = false
    else if (name === 'buChar' || name === 'buAutoNum' || name === 'buBlip') this.paragraph.bullet = true
  }

  text(text: string): void {
    if (this.isInText && !this.isInPageField && this.paragraph !== null) this.paragraph.text += text
  }

  close(name: string): void {
    if (name === 't') this.isInText = false
    else if (name === 'fld') this.isInPageField = false
    else if (name === 'p' && this.paragraph !== null) {
      // A vertical tab is how PowerPoint stores a line break within a title.
      const text = this.paragraph.text.replaceAll('_x000B_', '\n').replaceAll('\v', '\n').trim()
      if (text !== '') this.done({ ...this.paragraph, text })
      this.paragraph = null
    }
  }
}

/** Returns handlers that pass each event to all of the others. */
export function together(...all: readonly XmlHandlers[]): Required<XmlHandlers> {
  return {
    open: (element) => all.forEach((one) => one.open(element)),
    text: (text) => all.forEach((one) => one.text?.(text)),
    close: (name, qualified) => all.forEach((one) => one.close?.(name, qualified)),
  }
}
