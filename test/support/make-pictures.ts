import { crc32, deflateSync } from 'node:zlib'

/** Makes a PNG of the pixels of one row after another, each row with its filter in front. */
export function makePng(
  {
    width,
    height,
    depth = 8,
    colour,
    interlaced = false,
  }: { width: number; height: number; depth?: number; colour: number; interlaced?: boolean },
  rows: Uint8Array,
  others: readonly (readonly [type: string, data: Uint8Array])[] = [],
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8)
  const chunks = [['IHDR', header] as const, ...others, ['IDAT', deflateSync(rows)] as const, ['IEND', Buffer.alloc(0)] as const]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks.map(([type, data]) => chunk(type, data))])
}

/** Puts rows of pixels, each with filter 0 in front, into the order of an interlaced PNG. */
export function interlaced(
  rows: Uint8Array,
  { width, height, pixelBits }: { width: number; height: number; pixelBits: number },
): Buffer {
  const rowBytes = Math.ceil((width * pixelBits) / 8) + 1
  const bit = (x: number, y: number, number: number): string =>
    String((rows[y * rowBytes + 1 + ((x * pixelBits + number) >> 3)]! >> (7 - ((x * pixelBits + number) & 7))) & 1)
  const passOf = (x: number, y: number): number => PASS_OF_PIXEL[y & 7]![x & 7]!
  const parts: Buffer[] = []
  for (let pass = 1; pass <= 7; pass++) {
    for (let y = 0; y < height; y++) {
      const columns = Array.from({ length: width }, (_, x) => x).filter((x) => passOf(x, y) === pass)
      const bits = columns.flatMap((x) => Array.from({ length: pixelBits }, (_, number) => bit(x, y, number))).join('')
      const bytes = bits.match(/.{1,8}/g) ?? []
      if (bytes.length > 0) parts.push(Buffer.from([0, ...bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2))]))
    }
  }
  return Buffer.concat(parts)
}

/** The pass that has each pixel of a square of 8 × 8, as the standard draws it. */
const PASS_OF_PIXEL = [
  [1, 6, 4, 6, 2, 6, 4, 6],
  [7, 7, 7, 7, 7, 7, 7, 7],
  [5, 6, 5, 6, 5, 6, 5, 6],
  [7, 7, 7, 7, 7, 7, 7, 7],
  [3, 6, 4, 6, 3, 6, 4, 6],
  [7, 7, 7, 7, 7, 7, 7, 7],
  [5, 6, 5, 6, 5, 6, 5, 6],
  [7, 7, 7, 7, 7, 7, 7, 7],
]

/** Makes a PNG without anything on it. */
export function greyPng(width: number, height: number): Buffer {
  return makePng({ width, height, colour: 0 }, Buffer.alloc((width + 1) * height, 0))
}

/** A grey JPEG of 8 × 8 pixels, as ImageMagick writes it. */
export function greyJpeg(): Buffer {
  return Buffer.from(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8Aa//Z',
    'base64',
  )
}

function chunk(type: string, data: Uint8Array): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, sum])
}

/** A field of a TIFF: its tag, its type (3: short, 4: long), and its values. */
export type TiffField = readonly [tag: number, type: 3 | 4, ...values: number[]]

/** Makes a TIFF of pages whose strips begin at the end of the header, at offset 8. */
export function makeTiff(
  pages: readonly (readonly TiffField[])[],
  data: Uint8Array,
  { next = 0 }: { next?: number } = {},
): Buffer {
  const parts: Buffer[] = [Buffer.from('II*\0\0\0\0\0', 'latin1'), Buffer.from(data)]
  let length = 8 + data.length
  const place = (bytes: Buffer): number => {
    const at = length
    parts.push(bytes)
    length += bytes.length
    return at
  }
  /** Where the offset of the next directory goes. */
  let link: [part: Buffer, at: number] = [parts[0]!, 4]
  for (const fields of pages) {
    const directory = Buffer.alloc(2 + fields.length * 12 + 4)
    directory.writeUInt16LE(fields.length)
    for (const [index, [tag, type, ...values]] of fields.entries()) {
      const at = 2 + index * 12
      directory.writeUInt16LE(tag, at)
      directory.writeUInt16LE(type, at + 2)
      directory.writeUInt32LE(values.length, at + 4)
      const size = type === 3 ? 2 : 4
      const bytes = Buffer.alloc(Math.max(4, values.length * size))
      for (const [number, value] of values.entries()) bytes.writeUIntLE(value, number * size, size)
      if (values.length * size <= 4) bytes.copy(directory, at + 8)
      else directory.writeUInt32LE(place(bytes), at + 8)
    }
    link[0].writeUInt32LE(place(directory), link[1])
    link = [directory, directory.length - 4]
  }
  link[0].writeUInt32LE(next, link[1])
  return Buffer.concat(parts)
}

/** The fields of a page with 8 × 2 grey pixels, some of them replaced by others. */
export function greyPage(...others: TiffField[]): TiffField[] {
  const fields: TiffField[] = [
    [256, 3, 8],
    [257, 3, 2],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 3, 2],
    [279, 4, 16],
  ]
  return [...fields.filter(([tag]) => !others.some(([other]) => other === tag)), ...others]
}

/** Makes a TIFF of pages with 8 × 2 grey pixels. */
export function greyTiff(pages: number, options: { next?: number } = {}): Buffer {
  return makeTiff(
    Array.from({ length: pages }, () => greyPage()),
    Buffer.alloc(16 * pages, 128),
    options,
  )
}
