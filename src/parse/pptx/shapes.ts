import { DrawingText, type DrawingParagraph } from '../ooxml/drawing-text.ts'
import { relationshipId } from '../ooxml/relationships.ts'
import type { Element, XmlHandlers } from '../package/xml.ts'

export interface ShapeRow {
  cells: string[]
  isHeader: boolean
}

/** What a slide shows in one place: a text, a table, a picture, or the chart or diagram of another part. */
export interface Shape {
  /** The type of the placeholder that it fills, such as `title`; null for a shape of the slide's own. */
  placeholder: string | null
  paragraphs: DrawingParagraph[]
  /** The rows of a table; null if the shape is not a table. */
  rows: ShapeRow[] | null
  /** What the author says about a picture. */
  description: string
  /** IDs of the relationships to its chart and its diagram. */
  related: string[]
}

const SHAPES = new Set(['sp', 'pic', 'graphicFrame', 'cxnSp', 'contentPart'])
/** A description that only repeats the name or the path of a file. */
const NO_DESCRIPTION = /^(?:[a-z]:\\.*|\S{1,200}\.(?:png|jpe?g|gif|svg|webp|bmp|emf|wmf|tiff?))$/i

/** Collects the shapes of a slide or of its notes, also those in groups, in the order of the file. */
export class ShapeReader implements Required<XmlHandlers> {
  readonly shapes: Shape[] = []
  /** False if presentations skip the slide. */
  isShown = true
  private shape: Shape | null = null
  private depth = 0
  private isHidden = false
  /** Depth of the alternative for older programs, which repeats the content; 0 outside of one. */
  private fallbackDepth = 0
  private cell: string[] | null = null
  private isFirstRowHeader = false
  private readonly drawing = new DrawingText((paragraph) => this.add(paragraph))

  open(element: Element): void {
    const { name, attribute } = element
    this.depth++
    if (this.fallbackDepth > 0) return
    if (name === 'Fallback') this.fallbackDepth = this.depth
    else if (name === 'sld') this.isShown = !isOff(attribute('show'))
    else if (SHAPES.has(name)) this.begin()
    else if (this.shape === null) return
    else if (name === 'cNvPr') this.readName(element)
    else if (name === 'ph') this.shape.placeholder = attribute('type') ?? 'obj'
    else if (name === 'chart') this.relate(relationshipId(element))
    else if (name === 'relIds') this.relate(attribute('dm'))
    else if (name === 'tbl') this.shape.rows = []
    else if (name === 'tblPr') this.isFirstRowHeader = isOn(attribute('firstRow'))
    else if (name === 'tr') this.shape.rows?.push({ cells: [], isHeader: this.isFirstRowHeader && this.shape.rows.length === 0 })
    else if (name === 'tc') this.cell = []
    else this.drawing.open(element)
  }

  text(text: string): void {
    if (this.fallbackDepth === 0 && this.shape !== null) this.drawing.text(text)
  }

  close(name: string): void {
    const isSkipped = this.fallbackDepth > 0
    if (this.fallbackDepth === this.depth) this.fallbackDepth = 0
    this.depth--
    if (isSkipped || this.shape === null) return
    if (SHAPES.has(name)) {
      if (!this.isHidden) this.shapes.push(this.shape)
      this.shape = null
    } else if (name === 'tc') {
      this.shape.rows?.at(-1)?.cells.push((this.cell ?? []).join(' '))
      this.cell = null
    } else this.drawing.close(name)
  }

  private begin(): void {
    this.shape = { placeholder: null, paragraphs: [], rows: null, description: '', related: [] }
    this.isHidden = false
    this.cell = null
  }

  private readName({ attribute }: Element): void {
    if (isOn(attribute('hidden'))) this.isHidden = true
    const description = (attribute('descr') ?? '').trim()
    if (!NO_DESCRIPTION.test(description)) this.shape!.description = description
  }

  private relate(id: string | null): void {
    if (id !== null) this.shape?.related.push(id)
  }

  private add(paragraph: DrawingParagraph): void {
    if (this.cell !== null) this.cell.push(paragraph.text)
    else this.shape?.paragraphs.push(paragraph)
  }
}

function isOn(value: string | null): boolean {
  return value === '1' || value === 'true'
}

function isOff(value: string | null): boolean {
  return value === '0' || value === 'false'
}
