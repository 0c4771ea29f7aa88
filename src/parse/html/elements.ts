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

/** XHTML closes elements in their own tag (`<title/>`), which HTML doesn't know. */
export function parserOptions(html: string): { recognizeSelfClosing?: boolean; recognizeCDATA?: boolean } {
  return /^\s*<\?xml/.test(html) ? { recognizeSelfClosing: true, recognizeCDATA: true } : {}
}

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
