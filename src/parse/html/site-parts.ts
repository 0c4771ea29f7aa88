import { headingLevel, isAroundContent, isBlock, isCode, LISTS, readTags, SECTIONS, type TagReader } from './html-parser.ts'

/** Words in the class or ID of an element that a site puts around its pages. */
const MENU_NAME =
  /(?:^|[\s_-])(?:nav|navbar|navigation|navi|menu|menubar|submenu|breadcrumbs?|sidebar|topbar|toolbar|pagination|pager|skip-?links?|skip-?nav|site-?header|masthead|social|share|sharing|related|site-?map)(?:$|[\s_-])/
const FOOTER_NAME = /(?:^|[\s_-])footer(?:$|[\s_-])/
const CONSENT_NAME =
  /cookie-?(?:banner|bar|notice|consent|law|popup|modal|message|overlay|dialog)|consent-?(?:banner|bar|notice|popup|modal|dialog)|gdpr|onetrust|cookiebot|didomi|truste|qc-cmp/

/** A longer part is content, whatever its name says. */
const MAX_FOOTER_CHARS = 1500
const MAX_CONSENT_CHARS = 3000
/** Screen readers skip icons and repetitions. A longer part is the page behind a dialog that was open when the page was saved. */
const MAX_SILENT_CHARS = 200
/** The visible half of a formula. */
const FORMULA_NAME = /katex|mathjax|math/
/** A part of which at least this share is links is a menu if its name says so. Any other list must be links only. */
const MIN_NAMED_LINKS = 0.6
const MIN_LIST_LINKS = 0.9
const MIN_LIST_COUNT = 4
/** Links of a menu are a word or two. */
const MAX_LINK_CHARS = 30
/** Without so much running text next to its links, the links are what the page is about. */
const MIN_PROSE_CHARS = 200
const MIN_PROSE_CHARS_FOR_LIST = 500
/** A block with so much text besides its links is running text. */
const PROSE_BLOCK_CHARS = 80

interface Part {
  /** Number of the element in the order of the tags. */
  number: number
  /** Number of the first element after it. */
  end: number
  /** Why it may be dropped. */
  reason: Reason | null
  chars: number
  linkChars: number
  links: number
  hasFirstHeading: boolean
  hasControl: boolean
}

type Reason = 'menu' | 'footer' | 'consent' | 'silent' | 'list'

/**
 * Returns the numbers of the elements, in the order of their tags from 0, that a site puts around its pages, on a page whose markup
 * doesn't say so: menus, footers and requests for consent by their names, lists of links in front of the first heading, and what
 * screen readers skip. It keeps whatever could be content, such as all links of a page that has little else.
 */
export function siteParts(html: string): ReadonlySet<number> {
  const scanner = new Scanner()
  readTags(html, scanner)
  return scanner.result()
}

/** Measures the elements of a page. */
class Scanner implements TagReader {
  private count = 0
  private readonly open: Part[] = []
  /** The element that is never read, and how many elements of its name are open in it. */
  private skipped: { tag: string; depth: number } | null = null
  private openLinks = 0
  private openSections = 0
  /** A heading or running text came, so that a list belongs to it. */
  private hasContent = false
  private blockChars = 0
  private readonly found: Part[] = []
  private readonly page = newPart(-1, null)

  openTag(tag: string, attributes: Record<string, string>): void {
    const number = this.count++
    if (this.skipped !== null) {
      if (tag === this.skipped.tag) this.skipped.depth++
      return
    }
    if (tag === 'title' || isCode(tag) || isAroundContent(tag, attributes, this.openSections > 0)) {
      this.skipped = { tag, depth: 1 }
      const around = this.open.at(-1)
      if (around !== undefined) around.hasControl ||= tag === 'button'
      return
    }
    if (SECTIONS.has(tag)) this.openSections++
    if (tag === 'a') this.openLinks++
    const level = headingLevel(tag)
    if (level !== undefined) this.hasContent = true
    if (isBlock(tag)) this.blockChars = 0
    const part = newPart(number, this.reasonFor(tag, attributes))
    part.hasFirstHeading = level === 1
    part.hasControl = tag === 'a' || tag === 'input'
    part.links = tag === 'a' && !/^\s*#/.test(attributes['href'] ?? '#') ? 1 : 0
    this.open.push(part)
  }

  addText(text: string): void {
    if (this.skipped !== null) return
    const { length } = text.trim()
    const part = this.open.at(-1) ?? this.page
    part.chars += length
    if (this.openLinks > 0) part.linkChars += length
    else if ((this.blockChars += length) >= PROSE_BLOCK_CHARS) this.hasContent = true
  }

  closeTag(tag: string): void {
    if (this.skipped !== null) {
      if (tag === this.skipped.tag && --this.skipped.depth === 0) this.skipped = null
      return
    }
    const part = this.open.pop()
    if (part === undefined) return
    if (SECTIONS.has(tag)) this.openSections = Math.max(0, this.openSections - 1)
    if (tag === 'a') this.openLinks = Math.max(0, this.openLinks - 1)
    part.end = this.count
    if (part.reason !== null && isSitePart(part, Infinity)) this.found.push(part)
    const around = this.open.at(-1) ?? this.page
    around.chars += part.chars
    around.linkChars += part.linkChars
    around.links += part.links
    around.hasFirstHeading ||= part.hasFirstHeading
    around.hasControl ||= part.hasControl
  }

  result(): ReadonlySet<number> {
    const dropped = new Set<number>()
    let prose = this.page.chars - this.page.linkChars
    let end = 0
    for (const part of this.found.toSorted((a, b) => a.number - b.number)) {
      const proseAround = prose - (part.chars - part.linkChars)
      if (part.number < end || !isSitePart(part, proseAround)) continue
      dropped.add(part.number)
      prose = proseAround
      end = part.end
    }
    return dropped
  }

  private reasonFor(tag: string, attributes: Record<string, string>): Reason | null {
    const name = `${attributes['class'] ?? ''} ${attributes['id'] ?? ''}`.toLowerCase()
    if (attributes['aria-hidden'] === 'true' && !FORMULA_NAME.test(name)) return 'silent'
    if (tag === 'body' || tag === 'html' || tag === 'a' || tag === 'article' || tag === 'main') return null
    if (tag === 'aside' || MENU_NAME.test(name)) return 'menu'
    if (this.openSections > 0) return null
    if (FOOTER_NAME.test(name)) return 'footer'
    if (CONSENT_NAME.test(name)) return 'consent'
    return LISTS.has(tag) && !this.hasContent ? 'list' : null
  }
}

/** @param prose Characters of running text on the rest of the page. */
function isSitePart({ reason, chars, linkChars, links, hasFirstHeading, hasControl }: Part, prose: number): boolean {
  if (hasFirstHeading) return false
  const hasShortLinks = links > 0 && linkChars <= links * MAX_LINK_CHARS
  switch (reason) {
    case 'silent':
      return chars <= MAX_SILENT_CHARS
    case 'consent':
      return chars <= MAX_CONSENT_CHARS && hasControl && prose >= MIN_PROSE_CHARS
    case 'footer':
      return chars <= MAX_FOOTER_CHARS && prose >= Math.max(MIN_PROSE_CHARS, chars)
    case 'menu':
      return hasShortLinks && linkChars >= chars * MIN_NAMED_LINKS && prose >= MIN_PROSE_CHARS
    case 'list':
      return (
        hasShortLinks &&
        links >= MIN_LIST_COUNT &&
        linkChars >= chars * MIN_LIST_LINKS &&
        prose >= Math.max(MIN_PROSE_CHARS_FOR_LIST, chars)
      )
    case null:
      return false
  }
}

function newPart(number: number, reason: Reason | null): Part {
  return { number, end: number, reason, chars: 0, linkChars: 0, links: 0, hasFirstHeading: false, hasControl: false }
}
