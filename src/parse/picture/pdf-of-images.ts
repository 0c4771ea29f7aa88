import { DocsearchError } from '../../core/errors.ts'
import { corrupt } from '../failures.ts'

/** An image as PDF stores it. */
export interface PdfImage {
  width: number
  height: number
  /** Entries of its dictionary: colours, filter, and so on. */
  entries: string
  data: Uint8Array
}

/** A part of a page. Pixels beyond the right or lower edge of the page are not visible. */
export interface PicturePart extends PdfImage {
  /** Pixels from the edges of the page. */
  left: number
  top: number
}

/** A page that shows an image, divided into parts. */
export interface PicturePage {
  width: number
  height: number
  parts: readonly PicturePart[]
  /** Pixels in an inch; null if the picture doesn't say it. */
  dpi: number | null
  /** By how much the page is turned clockwise. */
  rotation: 0 | 90 | 180 | 270
}

const POINTS_PER_INCH = 72
/** PDF readers accept no larger pages. */
const MAX_SIDE_POINTS = 14_400
const [MIN_DPI, MAX_DPI] = [50, 2_400]
/** Photos and screenshots count as this wide, so that an OCR program finds letters of the usual size. */
const USUAL_INCHES = 8.27

/** Writes a PDF with one page for each picture. The data of the images is stored as it is. */
export function pdfOfImages(pages: readonly PicturePage[]): Buffer {
  const writer = new PdfWriter()
  const [catalog, tree] = [writer.reserve(), writer.reserve()]
  const kids = pages.map((page) => writer.addPage(page, tree))
  writer.write(catalog, `<</Type/Catalog/Pages ${tree} 0 R>>`)
  writer.write(tree, `<</Type/Pages/Count ${kids.length}/Kids[${kids.map((kid) => `${kid} 0 R`).join(' ')}]>>`)
  return writer.finish(catalog)
}

class PdfWriter {
  private readonly parts: Uint8Array[] = [Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  private readonly offsets: number[] = []
  private length = this.parts[0]!.length

  reserve(): number {
    return this.offsets.push(0)
  }

  write(number: number, dictionary: string, data?: Uint8Array): void {
    this.offsets[number - 1] = this.length
    this.append(Buffer.from(`${number} 0 obj\n${dictionary}\n`, 'latin1'))
    if (data !== undefined) for (const part of [Buffer.from('stream\n'), data, Buffer.from('\nendstream\n')]) this.append(part)
    this.append(Buffer.from('endobj\n'))
  }

  addPage({ width, height, parts, dpi, rotation }: PicturePage, tree: number): number {
    const known =
      dpi !== null && dpi >= MIN_DPI && dpi <= MAX_DPI ? dpi : Math.max(POINTS_PER_INCH, Math.min(width, height) / USUAL_INCHES)
    const scale = Math.min(POINTS_PER_INCH / known, MAX_SIDE_POINTS / Math.max(width, height))
    const [page, content] = [this.reserve(), this.reserve()]
    const point = (pixels: number): string => (pixels * scale).toFixed(3)
    const [names, draws]: [string[], string[]] = [[], []]
    for (const { left, top, width: columns, height: rows, entries, data } of parts) {
      const image = this.reserve()
      this.write(image, `<</Type/XObject/Subtype/Image/Width ${columns}/Height ${rows}${entries}/Length ${data.length}>>`, data)
      names.push(`/I${image} ${image} 0 R`)
      const [x, y] = [point(left), point(height - top - rows)]
      draws.push(`q ${point(columns)} 0 0 ${point(rows)} ${x} ${y} cm /I${image} Do Q`)
    }
    const drawing = Buffer.from(draws.join('\n'))
    this.write(content, `<</Length ${drawing.length}>>`, drawing)
    const box = `[0 0 ${point(width)} ${point(height)}]`
    const resources = `<</XObject<<${names.join('')}>>>>`
    this.write(
      page,
      `<</Type/Page/Parent ${tree} 0 R/MediaBox${box}/Rotate ${rotation}/Contents ${content} 0 R/Resources${resources}>>`,
    )
    return page
  }

  finish(catalog: number): Buffer {
    const start = this.length
    const entries = this.offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
    this.append(Buffer.from(`xref\n0 ${entries.length + 1}\n0000000000 65535 f \n${entries.join('')}`))
    this.append(Buffer.from(`trailer\n<</Size ${entries.length + 1}/Root ${catalog} 0 R>>\nstartxref\n${start}\n%%EOF\n`))
    return Buffer.concat(this.parts)
  }

  private append(bytes: Uint8Array): void {
    this.parts.push(bytes)
    this.length += bytes.length
  }
}

/** Returns by how much a picture with this orientation (of Exif and TIFF) is turned. Mirrored pictures stay mirrored. */
export function rotationOf(orientation: number): PicturePage['rotation'] {
  if (orientation === 3 || orientation === 4) return 180
  if (orientation === 5 || orientation === 6) return 90
  return orientation === 7 || orientation === 8 ? 270 : 0
}

/** More than the pixels of an A3 page at 600 dpi. */
const MAX_PIXELS = 100_000_000
/** More than a JPEG can have. Programs take time for each row and each column, even if it has only one pixel. */
const MAX_SIDE = 65_536

/** Checks the size before docsearch decodes the picture. Throws `corrupt` and `too_large`. */
export function checkSize(what: string, width: number, height: number): void {
  if (!(width > 0 && height > 0)) throw corrupt(what)
  if (width * height > MAX_PIXELS) throw tooLarge(`${MAX_PIXELS / 1_000_000} million`, MAX_PIXELS)
  if (Math.max(width, height) > MAX_SIDE) throw tooLarge(`${MAX_SIDE} on each side`, MAX_SIDE)

  function tooLarge(most: string, limit: number): DocsearchError {
    return new DocsearchError(
      'too_large',
      `The picture has ${width} × ${height} pixels, more than the limit of ${most}. Scale it down or split it, and upload it again.`,
      { details: { width, height, limit } },
    )
  }
}

/** Returns the error for a picture that can't go into a PDF unchanged. */
export function unusual(what: string, how: string): DocsearchError {
  return new DocsearchError(
    'unsupported_type',
    `${what} ${how}, which docsearch can't read. Save it as PNG or PDF and upload that.`,
  )
}
