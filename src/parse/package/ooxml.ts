import { type Package, resolvePart } from './package.ts'
import { type Element, together, type XmlHandlers } from './xml.ts'

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

/** A chart with more labels is a plot of data. */
const MAX_LABELS = 200

/** Returns the texts of a chart: its titles, and the names of its series and categories. Its figures mean nothing without their axes. */
export async function readChart(parts: Package, part: string): Promise<string[]> {
  const texts = new Set<string>()
  const add = (text: string): void => {
    if (texts.size < MAX_LABELS) texts.add(text.replace(/\s+/g, ' ').trim())
  }
  let cache = 0
  let value: string | null = null
  const labels: XmlHandlers = {
    open({ name }) {
      if (name === 'strCache') cache++
      else if (name === 'v' && cache > 0) value = ''
    },
    text(text) {
      if (value !== null) value += text
    },
    close(name) {
      if (name === 'strCache') cache--
      if (name !== 'v' || value === null) return
      if (value.trim() !== '') add(value)
      value = null
    },
  }
  await parts.readOptionalXml(part, together(labels, new DrawingText(({ text }) => add(text))))
  return [...texts]
}

/** Returns the texts of a diagram (SmartArt), in the order of its data. */
export async function readDiagram(parts: Package, part: string): Promise<string[]> {
  const texts: string[] = []
  await parts.readOptionalXml(part, new DrawingText(({ text }) => texts.push(text.replace(/\s+/g, ' '))))
  return texts
}

/** Returns the comments of a slide. Older ones have plain text, newer ones DrawingML. */
export async function readComments(parts: Package, part: string): Promise<string[]> {
  const texts: string[] = []
  let plain: string | null = null
  const older: XmlHandlers = {
    open({ name }) {
      if (name === 'text') plain = ''
    },
    text(text) {
      if (plain !== null) plain += text
    },
    close(name) {
      if (name !== 'text' || plain === null) return
      if (plain.trim() !== '') texts.push(plain)
      plain = null
    },
  }
  await parts.readOptionalXml(part, together(older, new DrawingText(({ text }) => texts.push(text))))
  return texts
}

/** What a part refers to. */
export interface Relationship {
  /** The end of its type, such as `slide`: the rest differs between the transitional and the strict form of the format. */
  type: string
  /** The name of the other part within the package. */
  target: string
}

/** Returns the relationships of a part by their IDs, or the package's relationships for an empty name. Skips what lies outside of the package. */
export async function readRelationships(parts: Package, part: string): Promise<Map<string, Relationship>> {
  const [folder, name] = split(part)
  const found = new Map<string, Relationship>()
  await parts.readOptionalXml(`${folder}_rels/${name}.rels`, {
    open({ name: element, attribute }) {
      const target = attribute('Target')
      if (element !== 'Relationship' || target === null || attribute('TargetMode') === 'External') return
      const type = attribute('Type') ?? ''
      found.set(attribute('Id') ?? '', { type: type.slice(type.lastIndexOf('/') + 1), target: resolvePart(part, target) })
    },
  })
  return found
}

/** Returns the `r:id` of an element, which can have an `id` of its own. */
export function relationshipId({ attributes }: Element): string | null {
  const key = Object.keys(attributes).find((name) => /^[^:]+:id$/.test(name))
  return key === undefined ? null : (attributes[key] ?? null)
}

/** Returns the names of the parts that a part refers to with this type. */
export function targetsOf(relationships: ReadonlyMap<string, Relationship>, type: string): string[] {
  return [...relationships.values()].filter((one) => one.type === type).map(({ target }) => target)
}

/** Returns the name of the part with the document itself; null if the package names none that it has. */
export async function findMainPart(parts: Package, usual: string): Promise<string | null> {
  const named = targetsOf(await readRelationships(parts, ''), 'officeDocument').find((target) => parts.has(target))
  return named ?? (parts.has(usual) ? usual : null)
}

function split(part: string): [folder: string, name: string] {
  const slash = part.lastIndexOf('/') + 1
  return [part.slice(0, slash), part.slice(slash)]
}
