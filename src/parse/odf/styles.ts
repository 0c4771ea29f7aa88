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
