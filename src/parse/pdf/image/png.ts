import { crc32, deflateSync } from 'node:zlib'
import type { PaletteImage } from './palette.ts'

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

/** True for a complete PNG whose chunks have the right checks. A file that was cut off or damaged is none. */
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
