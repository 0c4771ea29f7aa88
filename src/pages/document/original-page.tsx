import type { PageMarks, Rectangle } from '../../core/page-image.ts'
import { PAGE_IMAGE_WIDTH } from '../../core/page-image.ts'
import { paths } from '../paths.ts'
import { SEARCH_FIELDS, type SearchFields } from '../search/fields.ts'

/** Thumbnails before and after the page. */
const NEIGHBOURS = 3
/** Widths of the zoomed page; null fits it to the window. */
const ZOOMS = [null, 700, 1_000, 1_400, 2_000] as const
export type Zoom = (typeof ZOOMS)[number]
/** The page's width in the coordinates of the marks. */
const UNITS = 1_000

/** On a narrow screen, the document's view shows either the text or the image of a page. */
export type Shown = 'text' | 'page'

/** A page of the original, as an image. */
export interface OriginalPage {
  documentId: string
  /** Counted from 1. */
  number: number
  count: number
  /** `failed` if the page has no image; `unknown` if docsearch could not find the marks now. */
  marks: PageMarks | 'failed' | 'unknown'
  shown: Shown
  zoom: Zoom
  /** The parameter `passage` of the address; empty if there is none. */
  passage: string
  /** Words that the reader looks for in the document; empty if there are none. */
  find: string
  fields: SearchFields
}

export function zoomOf(sent: string): Zoom {
  return ZOOMS.find((width) => String(width) === sent) ?? null
}

/** Shows a page of the original with the passage marked, and links to the other pages. */
export function OriginalPageView({ original }: { original: OriginalPage }) {
  const { number, count } = original
  return (
    <aside class="original" id="original" aria-label="Original">
      <nav class="page-bar" aria-label="Pages of the original">
        {number > 1 ? (
          <a class="button" rel="prev" href={addressOf(original, { number: number - 1 })} aria-label="Previous page">
            ‹
          </a>
        ) : null}
        {count > 1 ? <PageForm original={original} /> : <span>Page 1 of 1</span>}
        {number < count ? (
          <a class="button" rel="next" href={addressOf(original, { number: number + 1 })} aria-label="Next page">
            ›
          </a>
        ) : null}
        {original.marks === 'failed' ? null : <ZoomLinks original={original} />}
      </nav>
      <PageImage original={original} />
      {count > 1 ? <Thumbnails original={original} /> : null}
    </aside>
  )
}

/** Links that show the text or the page. Wide screens show both, and no links. */
export function ViewTabs({ original }: { original: OriginalPage }) {
  const tab = (shown: Shown, name: string) => (
    <a href={addressOf({ ...original, shown }, {})} aria-current={original.shown === shown ? 'true' : undefined}>
      {name}
    </a>
  )
  return (
    <nav class="view-tabs" aria-label="Text or page">
      {tab('text', 'Text')}
      {tab('page', 'Page image')}
    </nav>
  )
}

function PageForm({ original: { documentId, number, count, shown, zoom, passage, find, fields } }: { original: OriginalPage }) {
  return (
    <form method="get" action={paths.document(documentId)} class="go">
      {SEARCH_FIELDS.map((name) => (fields[name] ? <input type="hidden" name={name} value={fields[name]} /> : null))}
      {passage === '' ? null : <input type="hidden" name="passage" value={passage} />}
      {find === '' ? null : <input type="hidden" name="find" value={find} />}
      {zoom === null ? null : <input type="hidden" name="w" value={String(zoom)} />}
      {shown === 'text' ? null : <input type="hidden" name="view" value={shown} />}
      <label for="page">Page</label>
      <input type="text" inputmode="numeric" pattern="[0-9]*" id="page" name="page" value={String(number)} autocomplete="off" />
      <span>of {count}</span>
      <button type="submit">Go</button>
    </form>
  )
}

function ZoomLinks({ original }: { original: OriginalPage }) {
  const at = ZOOMS.indexOf(original.zoom)
  const link = (zoom: Zoom | undefined, name: string, sign: string) =>
    zoom === undefined ? null : (
      <a class="button" href={addressOf(original, { zoom })} aria-label={name}>
        {sign}
      </a>
    )
  return (
    <span class="zoom">
      {link(ZOOMS[at - 1], 'Zoom out', '−')}
      {link(ZOOMS[at + 1], 'Zoom in', '+')}
      {at === 0 ? null : link(null, 'Fit the page to the window', 'Fit')}
    </span>
  )
}

function PageImage({ original }: { original: OriginalPage }) {
  const { documentId, number, count, marks, zoom } = original
  if (marks === 'failed')
    return (
      <p class="page-missing hint">
        docsearch cannot show this page as an image.{' '}
        <a href={`${paths.original(documentId)}?download=1`}>Download the original</a> to see it.
      </p>
    )
  const src = imageAddress(documentId, number, zoom ?? PAGE_IMAGE_WIDTH.default)
  const isMarked = marks !== 'unknown' && marks.passage.length > 0
  const name = `Page ${number} of ${count}${isMarked ? ', with the passage marked' : ''}`
  return (
    <div
      class={zoom === null ? 'page-image fit' : 'page-image'}
      {...(zoom === null ? {} : { tabIndex: 0, role: 'region', 'aria-label': 'Zoomed page' })}
    >
      {marks === 'unknown' ? (
        <img src={src} alt={name} {...(zoom === null ? {} : { width: zoom })} />
      ) : (
        <svg
          viewBox={`0 0 ${UNITS} ${Math.round(UNITS * marks.ratio)}`}
          role="img"
          aria-label={name}
          {...(zoom === null ? {} : { width: zoom, height: Math.round(zoom * marks.ratio) })}
        >
          <image href={src} width={UNITS} height={Math.round(UNITS * marks.ratio)} preserveAspectRatio="none" />
          <Marks rectangles={marks.passage} ratio={marks.ratio} name="passage" />
          <Marks rectangles={marks.words} ratio={marks.ratio} name="word" />
        </svg>
      )}
    </div>
  )
}

function Marks({ rectangles, ratio, name }: { rectangles: readonly Rectangle[]; ratio: number; name: 'passage' | 'word' }) {
  const across = (share: number): string => (share * UNITS).toFixed(1)
  const down = (share: number): string => (share * UNITS * ratio).toFixed(1)
  return (
    <>
      {rectangles.map(({ x, y, width, height }, index) => (
        <rect
          class={`mark-${name}`}
          {...(name === 'passage' && index === 0 ? { id: 'mark' } : {})}
          x={across(x)}
          y={down(y)}
          width={across(width)}
          height={down(height)}
        />
      ))}
    </>
  )
}

function Thumbnails({ original }: { original: OriginalPage }) {
  const { documentId, number, count } = original
  const first = Math.max(1, Math.min(number - NEIGHBOURS, count - 2 * NEIGHBOURS))
  const last = Math.min(count, Math.max(number + NEIGHBOURS, 2 * NEIGHBOURS + 1))
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return (
    <nav class="thumbnails" aria-label="Thumbnails">
      {numbers.map((one) => (
        <a
          href={addressOf(original, { number: one })}
          aria-label={`Page ${one}`}
          aria-current={one === number ? 'page' : undefined}
        >
          <img src={imageAddress(documentId, one, PAGE_IMAGE_WIDTH.min)} alt="" loading="lazy" />
          {one}
        </a>
      ))}
    </nav>
  )
}

function imageAddress(id: string, page: number, width: number): string {
  return `${paths.pageImage(id, String(page))}?w=${width}`
}

/** Returns the address of a page that keeps the search, the passage, the zoom and the tab. */
function addressOf(original: OriginalPage, change: { number?: number; zoom?: Zoom }): string {
  const { documentId, number, zoom, shown, passage, find, fields, marks } = { ...original, ...change }
  const query = new URLSearchParams({ page: String(number) })
  if (passage !== '') query.set('passage', passage)
  if (find !== '') query.set('find', find)
  if (zoom !== null) query.set('w', String(zoom))
  // The text is the default only where it has something to show.
  query.set('view', shown)
  for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
  const isMarkThere = change.zoom != null && typeof marks === 'object' && marks.passage.length > 0
  const anchor = isMarkThere ? 'mark' : shown === 'page' || change.zoom !== undefined ? 'original' : `page-${number}`
  return `${paths.document(documentId)}?${query}#${anchor}`
}
