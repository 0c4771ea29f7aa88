import { Parser } from 'htmlparser2'

/** Browsers have a limit of about the same depth. */
const MAX_DEPTH = 1_000
/** Elements whose content is not markup. They can't contain each other, so the parser accepts them a little deeper. */
const RAW_TEXT = new Set('script style title textarea xmp iframe noembed noframes'.split(' '))
const RAW_TEXT_ROOM = 10

/**
 * The parser of htmlparser2 with a limit on depth. It closes an element that is nested too deep as soon as it opens it, so the content
 * belongs to the element around it. Without the limit, a million open elements take hours, because htmlparser2 moves the list of all open
 * elements with each tag.
 */
export class HtmlParser extends Parser {
  private depth = 0
  /** How many more levels the limit allowed when the last tag began. */
  private room = MAX_DEPTH

  constructor(...[handler, options]: ConstructorParameters<typeof Parser>) {
    super(
      {
        ...handler,
        onopentag: (tag, attributes, isImplied) => {
          this.depth++
          handler?.onopentag?.(tag, attributes, isImplied)
        },
        onclosetag: (tag, isImplied) => {
          this.depth--
          handler?.onclosetag?.(tag, isImplied)
        },
      },
      options,
    )
  }

  override onopentagname(start: number, end: number): void {
    this.room = MAX_DEPTH - this.depth
    super.onopentagname(start, end)
  }

  override onclosetag(start: number, end: number): void {
    this.room = MAX_DEPTH
    super.onclosetag(start, end)
  }

  protected override isVoidElement(name: string): boolean {
    return super.isVoidElement(name) || this.room <= (RAW_TEXT.has(name) ? -RAW_TEXT_ROOM : 0)
  }
}

/** Takes the tags and texts of a page in their order. */
export interface TagReader {
  openTag(tag: string, attributes: Record<string, string>): void
  addText(text: string): void
  closeTag(tag: string): void
}

export function readTags(html: string, reader: TagReader): void {
  // XHTML closes elements in their own tag (`<title/>`), which HTML doesn't know.
  const options = /^\s*<\?xml/.test(html) ? { recognizeSelfClosing: true, recognizeCDATA: true } : {}
  const parser = new HtmlParser(
    {
      onopentag: (tag, attributes) => reader.openTag(tag, attributes),
      ontext: (text) => reader.addText(text),
      onclosetag: (tag) => reader.closeTag(tag),
    },
    options,
  )
  parser.end(html)
}

/** Elements that never hold text of the document: code, drawings, other documents. */
const CODE = new Set('script style template title svg math iframe object noframes noembed'.split(' '))
/** Elements with choices of a form, navigation, or text for browsers without scripts. */
const SKIPPED = new Set('noscript nav select button dialog'.split(' '))
/** Roles of parts that a site repeats on every page (WAI-ARIA landmarks), and of menus and dialogs. */
const SKIPPED_ROLES = new Set(['navigation', 'search', 'banner', 'contentinfo', 'menu', 'menubar', 'dialog', 'alertdialog'])
const NOT_SHOWN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

const HEADINGS: Record<string, number> = { h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 }
const BLOCKS = new Set(
  'address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form header hr main p section summary ul ol li'.split(
    ' ',
  ),
)

export const ROWS = new Set(['tr', 'thead', 'tbody', 'tfoot'])
export const PREFORMATTED = new Set(['pre', 'listing', 'xmp'])
export const LISTS = new Set(['ul', 'ol'])
/** A footer in one of these belongs to the content. Any other footer belongs to the site. */
export const SECTIONS = new Set(['article', 'section', 'main', 'blockquote', 'figure'])

export function headingLevel(tag: string): number | undefined {
  return Object.hasOwn(HEADINGS, tag) ? HEADINGS[tag] : undefined
}

export function isBlock(tag: string): boolean {
  return BLOCKS.has(tag)
}

export function isCode(tag: string): boolean {
  return CODE.has(tag)
}

/** True for an element with no content of the page: navigation, forms' choices, hidden parts, the site's footer. */
export function isAroundContent(
  tag: string,
  { hidden, role = '', style = '' }: Record<string, string>,
  isInSection: boolean,
): boolean {
  return (
    SKIPPED.has(tag) ||
    (hidden !== undefined && hidden !== 'until-found') ||
    NOT_SHOWN.test(style) ||
    SKIPPED_ROLES.has(role.trim().toLowerCase().split(/\s+/, 1)[0] ?? '') ||
    (tag === 'footer' && !isInSection)
  )
}

/** Returns the character that a reference such as `&amp;` stands for, or the reference itself if it stands for none. */
export function decodeEntity(entity: string): string {
  let text = ''
  const parser = new Parser({ ontext: (part) => (text += part) })
  parser.end(entity)
  // Only the beginning of the name is a known entity.
  return text.endsWith(';') && entity.length > text.length ? entity : text
}
