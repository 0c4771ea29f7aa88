import { deflateSync, inflateSync } from 'node:zlib'
import { corrupt } from '../failures.ts'
import { type PdfImage, type PicturePage, checkSize } from './pdf-of-images.ts'

const WHAT = 'The PNG'
/** Types of colour. */
const [GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA] = [0, 2, 3, 4, 6]
const SAMPLES: Readonly<Record<number, number>> = { [GREY]: 1, [RGB]: 3, [PALETTE]: 1, [GREY_ALPHA]: 2, [RGB_ALPHA]: 4 }
/** Bits of a sample that each type of colour may have. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  [GREY]: [1, 2, 4, 8, 16],
  [RGB]: [8, 16],
  [PALETTE]: [1, 2, 4, 8],
  [GREY_ALPHA]: [8, 16],
  [RGB_ALPHA]: [8, 16],
}
const INCHES_PER_METRE = 39.37
const MAX_PIECES = 100_000

interface Png {
  width: number
  height: number
  depth: number
  colour: number
  palette: Buffer
  /** The `tRNS` chunk. */
  transparency: Buffer
  isInterlaced: boolean
  data: Buffer
}

/**
 * Reads a PNG. The PDF gets its compressed data unchanged, unless the PNG is interlaced or has an alpha channel. Transparent parts
 * become white. Throws `corrupt` and `too_large`.
 */
export function pageOfPng(bytes: Buffer): PicturePage {
  let png: Png | null = null
  let dpi: number | null = null
  const pieces: Buffer[] = []
  for (const { type, data } of chunks(bytes)) {
    if (type === 'IHDR' && data.length >= 13) png = headerOf(data)
    else if (png === null) throw corrupt(WHAT)
    else if (type === 'PLTE') png.palette = data
    else if (type === 'tRNS') png.transparency = data
    else if (type === 'pHYs' && data.length >= 9 && data[8] === 1) dpi = data.readUInt32BE(0) / INCHES_PER_METRE
    else if (type === 'IDAT' && pieces.length < MAX_PIECES) pieces.push(data)
    else if (type === 'IEND') break
  }
  if (png === null || pieces.length === 0) throw corrupt(WHAT)
  png.data = Buffer.concat(pieces)
  const { width, height, depth, colour } = png
  if (png.isInterlaced) png.data = withoutInterlacing(png.data, { width, height, pixelBits: depth * SAMPLES[colour]! })
  const image = colour === GREY_ALPHA || colour === RGB_ALPHA ? withoutAlpha(png) : asStored(png)
  return { width, height, dpi, rotation: 0, parts: [{ left: 0, top: 0, ...image }] }
}

function headerOf(data: Buffer): Png {
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
  checkSize(WHAT, width, height)
  const [depth, colour] = [data[8]!, data[9]!]
  if (DEPTHS[colour]?.includes(depth) !== true) throw corrupt(WHAT)
  const none = Buffer.alloc(0)
  return { width, height, depth, colour, palette: none, transparency: none, isInterlaced: data[12] === 1, data: none }
}

function* chunks(bytes: Buffer): Generator<{ type: string; data: Buffer }> {
  for (let at = 8; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    yield { type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) }
    at += 12 + length
  }
}

function asStored({ width, height, depth, colour, palette, transparency, data }: Png): PdfImage {
  const samples = SAMPLES[colour]!
  const filter = `/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors ${samples}/BitsPerComponent ${depth}/Columns ${width}>>`
  return { width, height, entries: `${coloursOf()}/BitsPerComponent ${depth}${filter}`, data }

  function coloursOf(): string {
    if (colour === PALETTE) {
      const opaque = Buffer.from(palette.map((value, at) => onWhite(value, transparency[Math.floor(at / 3)] ?? 255)))
      const last = Math.floor(opaque.length / 3) - 1
      if (last < 0 || last > 255) throw corrupt(WHAT)
      return `/ColorSpace[/Indexed/DeviceRGB ${last}<${opaque.toString('hex', 0, (last + 1) * 3)}>]`
    }
    const space = colour === GREY ? '/DeviceGray' : '/DeviceRGB'
    if (transparency.length < samples * 2) return `/ColorSpace${space}`
    // One colour is transparent.
    const key = Array.from({ length: samples }, (_, sample) => transparency.readUInt16BE(sample * 2) & (2 ** depth - 1))
    return `/ColorSpace${space}/Mask[${key.map((value) => `${value} ${value}`).join(' ')}]`
  }
}

function withoutAlpha({ width, height, depth, colour, data }: Png): PdfImage {
  const [samples, size] = [SAMPLES[colour]!, depth / 8]
  const pixelBytes = samples * size
  const rowBytes = width * pixelBytes
  const rows = inflatedRows(data, height * (rowBytes + 1))
  const colours = samples - 1
  const opaque = Buffer.alloc(width * height * colours)
  let above: Buffer = Buffer.alloc(rowBytes)
  for (let y = 0, to = 0; y < height; y++) {
    const start = y * (rowBytes + 1)
    const row = rows.subarray(start + 1, start + 1 + rowBytes)
    unfilter(rows[start]!, row, above, pixelBytes)
    for (let at = 0; at < rowBytes; at += pixelBytes) {
      const alpha = row[at + colours * size]!
      for (let sample = 0; sample < colours; sample++) opaque[to++] = onWhite(row[at + sample * size]!, alpha)
    }
    above = row
  }
  const space = colours === 1 ? '/DeviceGray' : '/DeviceRGB'
  return {
    width,
    height,
    entries: `/ColorSpace${space}/BitsPerComponent 8/Filter/FlateDecode`,
    data: deflateSync(opaque, { level: 1 }),
  }
}

function onWhite(value: number, alpha: number): number {
  return Math.round((value * alpha + 255 * (255 - alpha)) / 255)
}

/** The passes of an interlaced PNG (Adam7): the first column and row, and the steps to the next ones. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

interface Size {
  width: number
  height: number
  pixelBits: number
}

/** Inflates rows, which still have their filters. Throws `corrupt` if the result has another length. */
function inflatedRows(data: Buffer, length: number): Buffer {
  try {
    const rows = inflateSync(data, { maxOutputLength: length })
    if (rows.length === length) return rows
  } catch (cause) {
    throw corrupt('The PNG', cause)
  }
  throw corrupt('The PNG')
}

/** Adds to each byte of a row the value that the filter predicts from the bytes to the left and above. */
function unfilter(filter: number, row: Buffer, above: Buffer, pixelBytes: number): void {
  if (filter === 0) return
  for (let at = 0; at < row.length; at++) {
    const left = at < pixelBytes ? 0 : row[at - pixelBytes]!
    const up = above[at]!
    const corner = at < pixelBytes ? 0 : above[at - pixelBytes]!
    const predicted = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner)
    row[at] = row[at]! + predicted
  }
}

/** Returns the data of an interlaced PNG in the order of a PNG without interlacing. Throws `corrupt`. */
export function withoutInterlacing(data: Buffer, { width, height, pixelBits }: Size): Buffer {
  const passes = PASSES.map(([left, top, right, down]) => {
    const [columns, rows] = [Math.ceil((width - left) / right), Math.ceil((height - top) / down)]
    return { left, top, right, down, columns, rows: columns > 0 ? Math.max(0, rows) : 0 }
  })
  const rowBytes = (columns: number): number => Math.ceil((columns * pixelBits) / 8)
  const found = inflatedRows(
    data,
    passes.reduce((sum, { columns, rows }) => sum + rows * (rowBytes(columns) + 1), 0),
  )
  const all = Buffer.alloc(height * (rowBytes(width) + 1))
  const pixelBytes = Math.max(1, pixelBits / 8)
  let at = 0
  for (const { left, top, right, down, columns, rows } of passes) {
    const length = rowBytes(columns)
    let above: Buffer = Buffer.alloc(length)
    for (let row = 0; row < rows; row++, at += length + 1) {
      const pixels = found.subarray(at + 1, at + 1 + length)
      unfilter(found[at]!, pixels, above, pixelBytes)
      const target = all.subarray((top + row * down) * (rowBytes(width) + 1) + 1)
      for (let column = 0; column < columns; column++) copyPixel(pixels, column, target, left + column * right, pixelBits)
      above = pixels
    }
  }
  return deflateSync(all, { level: 1 })
}

/** Copies a pixel to another place in another row, where the bits are still 0. */
function copyPixel(from: Buffer, column: number, to: Buffer, target: number, bits: number): void {
  if (bits >= 8) {
    const size = bits / 8
    for (let byte = 0; byte < size; byte++) to[target * size + byte] = from[column * size + byte]!
    return
  }
  const shift = (pixel: number): number => 8 - bits - ((pixel * bits) & 7)
  const value = (from[(column * bits) >> 3]! >> shift(column)) & (2 ** bits - 1)
  to[(target * bits) >> 3]! |= value << shift(target)
}

function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
