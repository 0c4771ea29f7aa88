import { deflateSync, inflateSync } from 'node:zlib'
import { corrupt } from '../failures.ts'

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
export function inflatedRows(data: Buffer, length: number): Buffer {
  try {
    const rows = inflateSync(data, { maxOutputLength: length })
    if (rows.length === length) return rows
  } catch (cause) {
    throw corrupt('The PNG', cause)
  }
  throw corrupt('The PNG')
}

/** Adds to each byte of a row the value that the filter predicts from the bytes to the left and above. */
export function unfilter(filter: number, row: Buffer, above: Buffer, pixelBytes: number): void {
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
