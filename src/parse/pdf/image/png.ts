import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1')
const BIT_DEPTH = 4
const GREY = 0
const INDEXED = 3
/** The name, the length and the check of a chunk. */
const CHUNK_OVERHEAD = 12

/**
 * Writes a PNG (https://www.w3.org/TR/png/) with four bits for each pixel. No package: those that are kept up bring a decoder, or
 * native code, for what is a few lines on top of zlib.
 */
export function encodePng({ palette, pixels }: PaletteImage, width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = BIT_DEPTH
  header[9] = palette === null ? GREY : INDEXED
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(palette === null ? [] : [chunk('PLTE', palette)]),
    chunk('IDAT', deflateSync(packRows(pixels, width, height))),
    chunk('IEND', new Uint8Array()),
  ])
}

/** True for a complete PNG whose chunks have the right checks. False for a file that was cut off or damaged. */
export function isIntactPng(bytes: Buffer): boolean {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return false
  for (let at = SIGNATURE.length; at + CHUNK_OVERHEAD <= bytes.length;) {
    const end = at + CHUNK_OVERHEAD + bytes.readUInt32BE(at)
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return false
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return end === bytes.length
    at = end
  }
  return false
}

/** Two pixels in each byte. Each row begins with the number of its filter, which is none: filters make palettes larger. */
function packRows(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const rowBytes = 1 + Math.ceil(width / 2)
  const rows = new Uint8Array(rowBytes * height)
  for (let y = 0; y < height; y++) {
    const to = y * rowBytes + 1
    const from = y * width
    for (let x = 0; x < width; x += 2)
      rows[to + (x >> 1)] = (pixels[from + x]! << 4) | (x + 1 < width ? pixels[from + x + 1]! : 0)
  }
  return rows
}

function chunk(name: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(CHUNK_OVERHEAD + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(name, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}

/** Colours that differ less than this between their channels look grey. */
const MAX_GREY_DIFFERENCE = 16
/** Fewer coloured pixels than this are noise. */
const MIN_COLOURED = 20
export const MAX_COLOURS = 16
/** Four bits of red, green and blue. */
const BINS = 4096

/** An image with at most 16 colours. */
interface PaletteImage {
  /** Red, green and blue of each colour; null for 16 greys from black to white. */
  palette: Uint8Array | null
  /** The colour of each pixel, row by row. */
  pixels: Uint8Array
}

/** A set of similar colours, as their bins. */
type Box = number[]

/**
 * Reduces pixels (blue, green, red and a fourth byte that it ignores) to greys, or to colours if the image is coloured: `count` of
 * them, which is a power of two.
 */
export function reduceColours(bgrx: Uint32Array, count = MAX_COLOURS): PaletteImage {
  return isGrey(bgrx) ? toGreys(bgrx, count) : toColours(bgrx, count)
}

function isGrey(bgrx: Uint32Array): boolean {
  let coloured = 0
  for (const pixel of bgrx) {
    // Most pixels of a page are white.
    if ((pixel & 0xff_ffff) === 0xff_ffff) continue
    const [blue, green, red] = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]
    const difference = Math.max(blue, green, red) - Math.min(blue, green, red)
    if (difference >= MAX_GREY_DIFFERENCE && ++coloured >= MIN_COLOURED) return false
  }
  return true
}

function toGreys(bgrx: Uint32Array, count: number): PaletteImage {
  const pixels = new Uint8Array(bgrx.length)
  const last = count - 1
  const greyOf = Uint8Array.from({ length: 256 }, (_, light) =>
    Math.round(Math.round((light / 255) * last) * ((MAX_COLOURS - 1) / last)),
  )
  for (let i = 0; i < bgrx.length; i++) pixels[i] = greyOf[(bgrx[i]! >> 8) & 255]!
  return { palette: null, pixels }
}

/** Chooses the colours by median cut: it halves the set of colours with the largest error until there are `count` sets. */
function toColours(bgrx: Uint32Array, count: number): PaletteImage {
  const histogram = countColours(bgrx)
  const boxes: Box[] = [[...histogram.counts.keys()].filter((bin) => histogram.counts[bin]! > 0)]
  while (boxes.length < count) {
    const worst = boxes
      .map((box) => ({ box, spread: spreadOf(box, histogram) }))
      .toSorted((a, b) => b.spread.error - a.spread.error)[0]!
    if (worst.spread.error === 0) break
    boxes.splice(boxes.indexOf(worst.box), 1, ...halve(worst.box, worst.spread.channel, histogram))
  }
  const palette = new Uint8Array(boxes.length * 3)
  const colourOf = new Uint8Array(BINS)
  boxes.forEach((box, index) => {
    for (const channel of CHANNELS) palette[index * 3 + channel] = Math.round(meanOf(box, channel, histogram))
    for (const bin of box) colourOf[bin] = index
  })
  const pixels = new Uint8Array(bgrx.length)
  for (let i = 0; i < bgrx.length; i++) pixels[i] = colourOf[binOf(bgrx[i]!)]!
  return { palette, pixels }
}

const CHANNELS = [0, 1, 2] as const
type Channel = (typeof CHANNELS)[number]

/** How often each bin occurs, and the sum of its colours. */
interface Histogram {
  counts: Float64Array
  sums: readonly [Float64Array, Float64Array, Float64Array]
}

function binOf(pixel: number): number {
  return ((pixel >> 12) & 0xf00) | ((pixel >> 8) & 0xf0) | ((pixel >> 4) & 0xf)
}

function countColours(bgrx: Uint32Array): Histogram {
  const counts = new Float64Array(BINS)
  const [reds, greens, blues] = [new Float64Array(BINS), new Float64Array(BINS), new Float64Array(BINS)]
  for (const pixel of bgrx) {
    const bin = binOf(pixel)
    counts[bin]!++
    reds[bin]! += (pixel >> 16) & 255
    greens[bin]! += (pixel >> 8) & 255
    blues[bin]! += pixel & 255
  }
  return { counts, sums: [reds, greens, blues] }
}

function weightOf(box: Box, { counts }: Histogram): number {
  return box.reduce((sum, bin) => sum + counts[bin]!, 0)
}

function meanOf(box: Box, channel: Channel, histogram: Histogram): number {
  return box.reduce((sum, bin) => sum + histogram.sums[channel][bin]!, 0) / weightOf(box, histogram)
}

/** Returns the channel in which the colours of a box differ most, and their squared error there, for each pixel. */
function spreadOf(box: Box, histogram: Histogram): { channel: Channel; error: number } {
  if (box.length < 2) return { channel: 0, error: 0 }
  const errors = CHANNELS.map((channel) => {
    const mean = meanOf(box, channel, histogram)
    const { counts, sums } = histogram
    return box.reduce((sum, bin) => sum + counts[bin]! * (sums[channel][bin]! / counts[bin]! - mean) ** 2, 0)
  })
  const error = Math.max(...errors)
  return { channel: errors.indexOf(error) as Channel, error }
}

/** Splits a box at its mean colour. */
function halve(box: Box, channel: Channel, histogram: Histogram): [Box, Box] {
  const mean = meanOf(box, channel, histogram)
  const isBelow = (bin: number): boolean => histogram.sums[channel][bin]! / histogram.counts[bin]! <= mean
  return [box.filter(isBelow), box.filter((bin) => !isBelow(bin))]
}
