import type { Element, XmlHandlers } from '../package/xml.ts'

export interface OdfStyle {
  parent: string | null
  breaksBefore: boolean
  breaksAfter: boolean
  /** The style of a sheet or slide that is not shown. */
  isHidden: boolean
}

/** The style that writing programs give to the title of a document. */
const TITLE = 'Title'
const MAX_PARENTS = 50

/** Collects what readers need of the styles of an OpenDocument file. They come before the content that refers to them. */
export class OdfStyles implements Required<XmlHandlers> {
  private readonly styles = new Map<string, OdfStyle>()
  private style: OdfStyle | null = null

  open({ name, attribute }: Element): void {
    if (name === 'style') {
      const isNewPage = (attribute('master-page-name') ?? '') !== ''
      this.style = { parent: attribute('parent-style-name'), breaksBefore: isNewPage, breaksAfter: false, isHidden: false }
      // Styles of different families may share a name, and only those of paragraphs break pages.
      this.styles.set(keyOf(attribute('family'), attribute('name')), this.style)
    } else if (this.style === null) return
    else if (name === 'paragraph-properties' || name === 'table-properties') {
      if (attribute('break-before') === 'page') this.style.breaksBefore = true
      if (attribute('break-after') === 'page') this.style.breaksAfter = true
      if (attribute('display') === 'false') this.style.isHidden = true
    } else if (name === 'drawing-page-properties' && attribute('visibility') === 'hidden') this.style.isHidden = true
  }

  text(): void {}

  close(name: string): void {
    if (name === 'style') this.style = null
  }

  get(family: 'paragraph' | 'table' | 'drawing-page', name: string | null): OdfStyle | undefined {
    return name === null ? undefined : this.styles.get(keyOf(family, name))
  }

  /** Returns whether a paragraph with this style is the title of the document. */
  isTitle(name: string | null): boolean {
    let current = name
    for (let i = 0; i < MAX_PARENTS && current !== null; i++) {
      if (current === TITLE) return true
      current = this.get('paragraph', current)?.parent ?? null
    }
    return false
  }
}

function keyOf(family: string | null, name: string | null): string {
  return `${family} ${name}`
}

/** How a level of a list is numbered. */
export interface ListLevel {
  /** `1`, `a`, `A`, `i` or `I`; empty for a level without numbers. */
  format: string
  prefix: string
  suffix: string
  start: number
  /** How many levels the number shows: 2 for `1.2`. */
  shown: number
}

/** OpenDocument has ten levels. */
export const MAX_LISTS_DEEP = 10
const MAX_START = 1_000_000

/** Collects the numbering of lists and headings from the styles of an OpenDocument file. */
export class ListStyles implements Required<XmlHandlers> {
  /** The levels of headings. */
  readonly outline: (ListLevel | undefined)[] = []
  private readonly lists = new Map<string, (ListLevel | undefined)[]>()
  private levels: (ListLevel | undefined)[] | null = null

  open({ name, attribute }: Element): void {
    if (name === 'list-style') {
      this.levels = []
      this.lists.set(attribute('name') ?? '', this.levels)
    } else if (name === 'outline-style') this.levels = this.outline
    else if (name === 'list-level-style-number' || name === 'outline-level-style') {
      const level = whole(attribute('level'), 1, MAX_LISTS_DEEP)
      if (this.levels === null) return
      this.levels[level - 1] = {
        format: attribute('num-format') ?? '',
        prefix: attribute('num-prefix') ?? '',
        suffix: attribute('num-suffix') ?? '',
        start: whole(attribute('start-value'), 1, MAX_START),
        shown: whole(attribute('display-levels'), 1, MAX_LISTS_DEEP),
      }
    }
  }

  text(): void {}

  close(name: string): void {
    if (name === 'list-style' || name === 'outline-style') this.levels = null
  }

  get(name: string | null): readonly (ListLevel | undefined)[] {
    return this.lists.get(name ?? '') ?? []
  }
}

/** Returns a whole number of an attribute within bounds; 1 without one. */
function whole(value: string | null, min: number, max: number): number {
  const number = Math.trunc(Number(value ?? 1))
  return Number.isNaN(number) ? 1 : Math.min(Math.max(number, min), max)
}
