import { corrupt, tooManyPages } from '../failures.ts'
import { type PicturePage, type PicturePart, rotationOf, checkSize, unusual } from './pdf-of-images.ts'

const WHAT = 'The TIFF'
const THIS = 'This TIFF'
const MAX_STRIPS = 20_000
/** A PDF needs about this many bytes for each part of a page, besides its data and the entries for its colours and filter. */
const PART_BYTES = 250
/** A small file can need more bytes for its parts than it has, for example a fax with a strip for each row. */
const MIN_PARTS_BYTES = 32_000_000
const CM_PER_INCH = 2.54
/** Bytes of a value, by its type. */
const SIZES: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 5: 8, 7: 1 }
const [BYTE, SHORT, RATIONAL, BYTES] = [1, 3, 5, 7]

// Tag numbers of fields.
const WIDTH = 256
const HEIGHT = 257
const BITS = 258
const COMPRESSION = 259
const COLOURS = 262
const FILL_ORDER = 266
const OFFSETS = 273
const ORIENTATION = 274
const SAMPLES = 277
const ROWS = 278
const LENGTHS = 279
const DPI = 282
const PLANES = 284
const FAX_OPTIONS = 292
const UNIT = 296
const PREDICTOR = 317
const PALETTE = 320
const TILE_WIDTH = 322
const TILE_HEIGHT = 323
const TILE_OFFSETS = 324
const TILE_LENGTHS = 325
const READ = new Set([
  WIDTH,
  HEIGHT,
  BITS,
  COMPRESSION,
  COLOURS,
  FILL_ORDER,
  OFFSETS,
  ORIENTATION,
  SAMPLES,
  ROWS,
  LENGTHS,
  DPI,
  PLANES,
  FAX_OPTIONS,
  UNIT,
  PREDICTOR,
  PALETTE,
  TILE_WIDTH,
  TILE_HEIGHT,
  TILE_OFFSETS,
  TILE_LENGTHS,
])

/** Reads the directories of a TIFF. PDF stores the strips or tiles of its pages as they are. Throws `corrupt`, `too_large` and `unsupported_type`. */
export function pagesOfTiff(bytes: Buffer, maxPages: number): PicturePage[] {
  const file = new TiffFile(bytes)
  const pages: PicturePage[] = []
  const seen = new Set<number>()
  for (let at = file.long(4); at !== 0 && !seen.has(at); at = file.nextAfter(at)) {
    seen.add(at)
    if (pages.length === maxPages) throw tooManyPages(pages.length + 1, maxPages)
    pages.push(pageOf(file, at))
  }
  if (pages.length === 0) throw corrupt(WHAT)
  return pages
}

class TiffFile {
  readonly bytes: Buffer
  private readonly isLittle: boolean
  /** How many bytes were read. Pages can share directories, values and strips, so without a limit a small file could become a large PDF. */
  private taken = 0
  /** How many bytes a PDF needs for the parts of the pages, besides their data. */
  private written = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.isLittle = bytes[0] === 0x49
  }

  short(at: number): number {
    if (at + 2 > this.bytes.length) throw corrupt(WHAT)
    return this.isLittle ? this.bytes.readUInt16LE(at) : this.bytes.readUInt16BE(at)
  }

  long(at: number): number {
    if (at + 4 > this.bytes.length) throw corrupt(WHAT)
    return this.isLittle ? this.bytes.readUInt32LE(at) : this.bytes.readUInt32BE(at)
  }

  take(from: number, length: number): Buffer {
    const data = this.bytes.subarray(from, from + length)
    this.spend(data.length)
    return data
  }

  private spend(bytes: number): void {
    this.taken += bytes
    if (this.taken > 2 * this.bytes.length) throw corrupt(WHAT)
  }

  /** Counts a part of a page, which has these entries in a PDF. */
  countPart(entries: string): void {
    this.written += entries.length + PART_BYTES
    if (this.written > Math.max(MIN_PARTS_BYTES, 2 * this.bytes.length)) throw corrupt(WHAT)
  }

  nextAfter(directory: number): number {
    return this.long(directory + 2 + this.short(directory) * 12)
  }

  /** Returns the values of each field of a directory. */
  fields(directory: number): Map<number, number[]> {
    const fields = new Map<number, number[]>()
    const entries = this.short(directory)
    this.spend(entries * 12)
    for (let entry = 0; entry < entries; entry++) {
      const at = directory + 2 + entry * 12
      const [tag, type, count] = [this.short(at), this.short(at + 2), this.long(at + 4)]
      const size = SIZES[type]
      if (size === undefined || count > this.bytes.length || !READ.has(tag) || fields.has(tag)) continue
      const start = count * size <= 4 ? at + 8 : this.long(at + 8)
      if (count * size > 4) this.spend(Math.min(count, MAX_STRIPS) * size)
      fields.set(
        tag,
        Array.from({ length: Math.min(count, MAX_STRIPS) }, (_, index) => this.value(type, start + index * size)),
      )
    }
    return fields
  }

  private value(type: number, at: number): number {
    if (type === SHORT) return this.short(at)
    if (type === RATIONAL) return this.long(at) / Math.max(1, this.long(at + 4))
    return type === BYTE || type === BYTES ? (this.bytes[at] ?? 0) : this.long(at)
  }
}

function pageOf(file: TiffFile, directory: number): PicturePage {
  const fields = file.fields(directory)
  const one = (tag: number, otherwise: number): number => fields.get(tag)?.[0] ?? otherwise
  const [width, height] = [one(WIDTH, 0), one(HEIGHT, 0)]
  checkSize(WHAT, width, height)
  if (one(PLANES, 1) !== 1) throw unusual(THIS, 'stores each colour separately')
  const parts = fields.has(TILE_WIDTH) ? tilesOf(file, fields, width, height) : stripsOf(file, fields, width, height)
  const perInch = one(DPI, 0) * (one(UNIT, 2) === 3 ? CM_PER_INCH : 1)
  return { width, height, parts, dpi: perInch || null, rotation: rotationOf(one(ORIENTATION, 1)) }
}

function stripsOf(file: TiffFile, fields: Map<number, number[]>, width: number, height: number): PicturePart[] {
  const offsets = fields.get(OFFSETS) ?? []
  const lengths = fields.get(LENGTHS) ?? (offsets.length === 1 ? [file.bytes.length] : [])
  const rows = Math.min(fields.get(ROWS)?.[0] ?? height, height)
  if (rows === 0 || offsets.length < Math.ceil(height / rows) || offsets.length >= MAX_STRIPS) throw corrupt(WHAT)
  const strips: PicturePart[] = []
  const storedPart = partsOf(file, fields, width)
  for (let top = 0, index = 0; top < height; top += rows, index++) {
    const size = { width, height: Math.min(rows, height - top) }
    strips.push({ left: 0, top, ...size, ...storedPart(size.height, offsets[index]!, lengths[index] ?? 0) })
  }
  return strips
}

/** All tiles of a page have the same size, so tiles at the right and lower edge can extend beyond the page. */
function tilesOf(file: TiffFile, fields: Map<number, number[]>, width: number, height: number): PicturePart[] {
  const [offsets, lengths] = [fields.get(TILE_OFFSETS) ?? [], fields.get(TILE_LENGTHS) ?? []]
  const size = { width: fields.get(TILE_WIDTH)?.[0] ?? 0, height: fields.get(TILE_HEIGHT)?.[0] ?? 0 }
  if (size.width === 0 || size.height === 0) throw corrupt(WHAT)
  const [columns, rows] = [Math.ceil(width / size.width), Math.ceil(height / size.height)]
  checkSize(WHAT, columns * size.width, rows * size.height)
  if (offsets.length < columns * rows || offsets.length >= MAX_STRIPS) throw corrupt(WHAT)
  const storedPart = partsOf(file, fields, size.width)
  return Array.from({ length: columns * rows }, (_, index) => ({
    left: (index % columns) * size.width,
    top: Math.floor(index / columns) * size.height,
    ...size,
    ...storedPart(size.height, offsets[index]!, lengths[index] ?? 0),
  }))
}

/** Returns a function that reads a part of a page. All parts have the same width, and all but the last have the same height. */
function partsOf(
  file: TiffFile,
  fields: Map<number, number[]>,
  width: number,
): (height: number, at: number, length: number) => Pick<PicturePart, 'entries' | 'data'> {
  const known = new Map<number, string>()
  return (height, at, length) => {
    const entries = known.get(height) ?? entriesOf(fields, width, height)
    known.set(height, entries)
    file.countPart(entries)
    return { entries, data: inOrder(file.take(at, length), fields.get(FILL_ORDER)?.[0] ?? 1) }
  }
}

function entriesOf(fields: Map<number, number[]>, width: number, height: number): string {
  const one = (tag: number, otherwise: number): number => fields.get(tag)?.[0] ?? otherwise
  const [bits, samples] = [one(BITS, 1), one(SAMPLES, 1)]
  if (![1, 2, 4, 8, 16].includes(bits)) throw unusual(THIS, `has ${bits} bits for each colour`)
  const parts = `/Predictor ${one(PREDICTOR, 1)}/Colors ${samples}/BitsPerComponent ${bits}/Columns ${width}`
  return `${coloursOf(fields, bits, samples)}/BitsPerComponent ${bits}${filterOf()}`

  function filterOf(): string {
    const compression = one(COMPRESSION, 1)
    const isBlack = one(COLOURS, 1) === 0 ? '/BlackIs1 false' : '/BlackIs1 true'
    const fax = (k: number): string => `/Filter/CCITTFaxDecode/DecodeParms<</K ${k}/Columns ${width}/Rows ${height}${isBlack}>>`
    switch (compression) {
      case 1:
        return ''
      case 3:
        return fax((one(FAX_OPTIONS, 0) & 1) === 1 ? 1 : 0)
      case 4:
        return fax(-1)
      case 5:
        return `/Filter/LZWDecode/DecodeParms<<${parts}>>`
      case 8:
      case 32_946:
        return `/Filter/FlateDecode/DecodeParms<<${parts}>>`
      case 32_773:
        return '/Filter/RunLengthDecode'
      default:
        throw unusual(THIS, `uses the compression ${compression}`)
    }
  }
}

function coloursOf(fields: Map<number, number[]>, bits: number, samples: number): string {
  const [kind] = fields.get(COLOURS) ?? [1]
  const palette = fields.get(PALETTE)
  const isFax = [3, 4].includes(fields.get(COMPRESSION)?.[0] ?? 1)
  if (kind === 0 && samples === 1) return `/ColorSpace/DeviceGray${isFax ? '' : '/Decode[1 0]'}`
  if (kind === 1 && samples === 1) return '/ColorSpace/DeviceGray'
  if (kind === 2 && samples === 3) return '/ColorSpace/DeviceRGB'
  if (kind === 5 && samples === 4) return '/ColorSpace/DeviceCMYK'
  const size = 2 ** bits
  if (kind !== 3 || samples !== 1 || bits > 8 || palette === undefined || palette.length < 3 * size)
    throw unusual(THIS, 'has unusual colours')
  // All reds come first, then all greens and blues, in 16 bits each.
  const colours = Buffer.from(Array.from({ length: 3 * size }, (_, at) => palette[(at % 3) * size + Math.floor(at / 3)]! >> 8))
  return `/ColorSpace[/Indexed/DeviceRGB ${size - 1}<${colours.toString('hex')}>]`
}

/** Fax programs store the bits of each byte backwards. */
function inOrder(data: Buffer, fillOrder: number): Buffer {
  return fillOrder === 2 ? Buffer.from(data.map((byte) => REVERSED[byte]!)) : data
}

const REVERSED = Array.from({ length: 256 }, (_, byte) =>
  Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2),
)
