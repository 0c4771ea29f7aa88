import { canBeHeading } from '../../core/headings.ts'
import { Flow, writeFlow } from '../blocks/flow.ts'
import { corrupt } from '../failures.ts'
import {
  findMainPart,
  readRelationships,
  type Relationship,
  relationshipId,
  targetsOf,
  readChart,
  readComments,
  readDiagram,
  DrawingText,
  type DrawingParagraph,
} from '../package/ooxml.ts'
import { type Package, withPackage, readTitle } from '../package/package.ts'
import type { Parser } from '../parser.ts'
import type { Element, XmlHandlers } from '../package/xml.ts'

const PPTX = 'The PPTX'
/** Placeholders that repeat on each slide. */
const RUNNING = new Set(['dt', 'ftr', 'sldNum', 'hdr', 'sldImg'])
const TITLES = new Set(['title', 'ctrTitle'])
/** Placeholders whose paragraphs have bullets unless they say otherwise. */
const BULLETED = new Set(['body', 'obj'])

/**
 * Reads a presentation. A page is a slide: its title as heading, then its shapes, and at the end the speaker's notes and comments.
 * Hidden slides are read too, and their headings say so.
 */
export const parsePptx: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const title = await withPackage({ file, what: PPTX, maxBytes: limits.xmlBytes }, async (parts) => {
    const main = await findMainPart(parts, 'ppt/presentation.xml')
    if (main === null) throw corrupt(PPTX)
    const slides = await slidesOf(parts, main)
    for (const [i, slide] of slides.entries()) {
      if (i > 0) flow.nextPage()
      if (slide !== null) await readSlide(parts, slide, flow)
    }
    return readTitle(parts, 'docProps/core.xml')
  })
  const { pageCount, firstHeading } = writeFlow(flow, output)
  return { title: title ?? firstHeading?.text ?? null, pageCount, warnings: [], facts: { engine: 'pptx' } }
}

/** Returns the parts of the slides in their order; null for a slide without a part. */
async function slidesOf(parts: Package, main: string): Promise<(string | null)[]> {
  const relationships = await readRelationships(parts, main)
  const slides: (string | null)[] = []
  const found = await parts.readXml(main, {
    open(element) {
      if (element.name === 'sldId') slides.push(relationships.get(relationshipId(element) ?? '')?.target ?? null)
    },
  })
  if (!found) throw corrupt(PPTX)
  return slides
}

async function readSlide(parts: Package, part: string, flow: Flow): Promise<void> {
  const reader = new ShapeReader()
  await parts.readXml(part, reader)
  const relationships = await readRelationships(parts, part)
  const shapes = reader.shapes.filter(({ placeholder }) => placeholder === null || !RUNNING.has(placeholder))
  const title = takeTitle(shapes)
  const heading = [title ?? (reader.isShown ? null : 'Slide'), reader.isShown ? null : '(hidden)'].filter((word) => word !== null)
  write(flow, 'heading', heading.join(' '), 1)
  for (const shape of shapes) await writeShape(parts, shape, relationships, flow)
  await writeNotes(parts, relationships, flow)
  writeSection(
    flow,
    'Comments',
    (await Promise.all(targetsOf(relationships, 'comments').map((one) => readComments(parts, one)))).flat(),
  )
}

/** Removes the title from the shapes and returns it. Without a title, a line that can be one is taken from the first text. */
function takeTitle(shapes: Shape[]): string | null {
  const index = shapes.findIndex(({ placeholder, paragraphs }) => TITLES.has(placeholder ?? '') && paragraphs.length > 0)
  const [shape] = index < 0 ? [] : shapes.splice(index, 1)
  if (shape !== undefined) return shape.paragraphs.map(({ text }) => text).join(' ')
  const first = shapes.find(({ paragraphs, rows }) => paragraphs.length > 0 || rows !== null)
  const line = first?.paragraphs[0]
  if (line === undefined || line.bullet === true || line.text.includes('\n') || !canBeHeading(line.text)) return null
  first?.paragraphs.shift()
  return line.text
}

async function writeShape(
  parts: Package,
  { placeholder, paragraphs, rows, description, related }: Shape,
  relationships: ReadonlyMap<string, Relationship>,
  flow: Flow,
): Promise<void> {
  const hasBullets = BULLETED.has(placeholder ?? '')
  for (const { text, level, bullet } of paragraphs) {
    if (bullet ?? (hasBullets && paragraphs.length > 1)) write(flow, 'list_item', text, level + 1)
    else write(flow, 'paragraph', text)
  }
  if (rows !== null) {
    flow.openTable()
    for (const { cells, isHeader } of rows) {
      for (const cell of cells) {
        flow.text(cell)
        flow.closeCell(false)
      }
      flow.closeRow(isHeader)
    }
    flow.closeTable()
  }
  write(flow, 'paragraph', description)
  for (const id of related) {
    const { type, target } = relationships.get(id) ?? {}
    if (target === undefined) continue
    if (type === 'diagramData') for (const text of await readDiagram(parts, target)) write(flow, 'list_item', text, 1)
    else write(flow, 'paragraph', (await readChart(parts, target)).join(' | '))
  }
}

async function writeNotes(parts: Package, relationships: ReadonlyMap<string, Relationship>, flow: Flow): Promise<void> {
  for (const part of targetsOf(relationships, 'notesSlide')) {
    const notes = new ShapeReader()
    await parts.readOptionalXml(part, notes)
    const texts = notes.shapes.filter(({ placeholder }) => placeholder === null || !RUNNING.has(placeholder))
    writeSection(
      flow,
      'Notes',
      texts.flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text)),
    )
  }
}

function writeSection(flow: Flow, heading: string, texts: readonly string[]): void {
  if (texts.length === 0) return
  write(flow, 'heading', heading, 2)
  for (const text of texts) write(flow, 'paragraph', text)
}

function write(flow: Flow, kind: 'heading' | 'paragraph' | 'list_item', text: string, level?: number): void {
  flow.text(text)
  flow.end(kind, level)
}

interface ShapeRow {
  cells: string[]
  isHeader: boolean
}

/** What a slide shows in one place: a text, a table, a picture, or the chart or diagram of another part. */
interface Shape {
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
class ShapeReader implements Required<XmlHandlers> {
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
