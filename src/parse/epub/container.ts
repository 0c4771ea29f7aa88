import { cleanTitle } from '../blocks/clean-title.ts'
import { corrupt, protectedByDrm } from '../failures.ts'
import type { Package } from '../package/package.ts'
import { resolvePart } from '../package/part-names.ts'

export const EPUB = 'The EPUB'
/** Old tables of contents and package documents name a DTD, which nothing reads. */
export const WITH_DOCTYPE = { allowsDoctype: true }
/** Fonts are often scrambled although the book has no protection (EPUB 3.3, section 4.2.6.4). */
const SCRAMBLED_FONT = /\/embedding$|\/enc#RC$/
const TEXT_TYPES = /^(?:application\/xhtml\+xml|text\/html|application\/x-dtbook\+xml|text\/x-oeb1-document)$/

/** Fallbacks can refer to each other in a circle. */
const MAX_FALLBACKS = 10

export interface Book {
  title: string | null
  /** The parts in reading order; null for one without text, such as an image. */
  spine: (string | null)[]
  /** The table of contents: an HTML part of EPUB 3 or an NCX of EPUB 2. Null if the book has none. */
  nav: string | null
  ncx: string | null
}

/** Reads what a book consists of. Throws `corrupt`, `drm_protected`. */
export async function readBook(parts: Package): Promise<Book> {
  await refuseProtected(parts)
  let opf: string | null = null
  await parts.readXml(
    'META-INF/container.xml',
    {
      open({ name, attribute }) {
        if (name === 'rootfile') opf ??= attribute('full-path')
      },
    },
    WITH_DOCTYPE,
  )
  if (opf === null) throw corrupt(EPUB)
  return readPackageDocument(parts, opf)
}

/** A book is protected if a part other than a font is encrypted. */
async function refuseProtected(parts: Package): Promise<void> {
  let algorithm = ''
  let isProtected = false
  await parts.readOptionalXml('META-INF/encryption.xml', {
    open({ name, attribute }) {
      if (name === 'EncryptedData') algorithm = ''
      else if (name === 'EncryptionMethod') algorithm ||= attribute('Algorithm') ?? ''
      else if (name === 'CipherReference' && !SCRAMBLED_FONT.test(algorithm) && /\.x?html?$/i.test(attribute('URI') ?? ''))
        isProtected = true
    },
  })
  if (isProtected) throw protectedByDrm()
}

interface Item {
  part: string
  type: string
  isNav: boolean
  /** The ID of what a program shows that can't show the item. */
  fallback: string | null
}

function textPart(items: ReadonlyMap<string, Item>, id: string): string | null {
  let item = items.get(id)
  for (let i = 0; i < MAX_FALLBACKS && item !== undefined; i++) {
    if (TEXT_TYPES.test(item.type)) return item.part
    item = items.get(item.fallback ?? '')
  }
  // A drawing can have the text of the page.
  const own = items.get(id)
  return own?.type === 'image/svg+xml' ? own.part : null
}

async function readPackageDocument(parts: Package, opf: string): Promise<Book> {
  const items = new Map<string, Item>()
  const spine: string[] = []
  let title = ''
  let titles = 0
  let isInTitle = false
  let ncxId: string | null = null
  const found = await parts.readXml(
    opf,
    {
      open({ name, attribute }) {
        if (name === 'title') isInTitle = titles++ === 0
        else if (name === 'item') {
          const part = resolvePart(opf, attribute('href') ?? '')
          const isNav = (attribute('properties') ?? '').split(/\s+/).includes('nav')
          items.set(attribute('id') ?? '', { part, type: attribute('media-type') ?? '', isNav, fallback: attribute('fallback') })
        } else if (name === 'spine') ncxId = attribute('toc')
        else if (name === 'itemref') spine.push(attribute('idref') ?? '')
      },
      text(text) {
        if (isInTitle) title += text
      },
      close(name) {
        if (name === 'title') isInTitle = false
      },
    },
    WITH_DOCTYPE,
  )
  if (!found) throw corrupt(EPUB)
  const all = [...items.values()]
  const ncx = items.get(ncxId ?? '') ?? all.find(({ type }) => type === 'application/x-dtbncx+xml')
  return {
    title: cleanTitle(title),
    spine: spine.map((id) => textPart(items, id)),
    nav: all.find(({ isNav }) => isNav)?.part ?? null,
    ncx: ncx?.part ?? null,
  }
}
