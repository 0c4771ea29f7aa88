import { readFile } from 'node:fs/promises'
import { corrupt } from '../failures.ts'
import type { Parser } from '../parser.ts'
import { pictureKind } from '../sniff/begins-as.ts'
import { checkSize, pdfOfImages, type PicturePage, rotationOf, unusual } from './pdf-of-images.ts'
import { pageOfPng } from './png.ts'
import { pagesOfTiff } from './tiff.ts'

/** A picture has no text until the OCR program finds it, so this only checks the header and counts the pages. */
export const parsePicture: Parser = async ({ file, limits }, output) => {
  const pages = pagesOf(await readFile(file), limits.pages)
  output.open(pages.length)
  for (const index of pages.keys()) output.page({ number: index + 1, text: '', blocks: [] })
  return { title: null, pageCount: pages.length, warnings: [], facts: { engine: 'picture' } }
}

/** Returns a picture as a PDF, and any other file as it is. Throws `corrupt`, `too_large` and `unsupported_type`. */
export function asPdf(bytes: Buffer): Buffer {
  return pictureKind(bytes) === null ? bytes : pdfOfImages(pagesOf(bytes, Infinity))
}

function pagesOf(bytes: Buffer, maxPages: number): PicturePage[] {
  const kind = pictureKind(bytes)
  if (kind === 'tiff') return pagesOfTiff(bytes, maxPages)
  return [kind === 'png' ? pageOfPng(bytes) : pageOfJpeg(bytes)]
}

const WHAT = 'The JPEG'
const [APP0, APP1, APP14, SOS] = [0xe0, 0xe1, 0xee, 0xda]
const COLOURS: Readonly<Record<number, string>> = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' }
const CM_PER_INCH = 2.54

/** Reads the header of a JPEG. PDF stores the file as it is. Throws `corrupt`, `too_large` and `unsupported_type`. */
function pageOfJpeg(bytes: Buffer): PicturePage {
  let dpi: number | null = null
  let orientation = 1
  let isAdobe = false
  for (const { marker, data } of segments(bytes)) {
    if (marker === APP0 && data.length >= 12 && data.toString('latin1', 0, 4) === 'JFIF') {
      if (data[7] === 1) dpi = data.readUInt16BE(8)
      else if (data[7] === 2) dpi = data.readUInt16BE(8) * CM_PER_INCH
    } else if (marker === APP1 && data.toString('latin1', 0, 4) === 'Exif') orientation = orientationOf(data.subarray(6))
    else if (marker === APP14 && data.toString('latin1', 0, 5) === 'Adobe') isAdobe = true
    else if (isFrame(marker)) {
      if (data.length < 6) throw corrupt(WHAT)
      const [height, width, components] = [data.readUInt16BE(1), data.readUInt16BE(3), data[5]!]
      checkSize(WHAT, width, height)
      const colours = COLOURS[components]
      if (marker > 0xc2 || data[0] !== 8 || colours === undefined) throw unusual('This JPEG', 'uses an unusual encoding')
      // Adobe programs store CMYK inverted.
      const decode = components === 4 && isAdobe ? '/Decode[1 0 1 0 1 0 1 0]' : ''
      const entries = `/ColorSpace${colours}/BitsPerComponent 8/Filter/DCTDecode${decode}`
      const parts = [{ left: 0, top: 0, width, height, entries, data: bytes }]
      return { width, height, dpi, rotation: rotationOf(orientation), parts }
    }
  }
  throw corrupt(WHAT)
}

/** Markers that start a frame, which has the size of the image. Three markers in this range start tables instead. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function* segments(bytes: Buffer): Generator<{ marker: number; data: Buffer }> {
  for (let at = 2; at + 4 <= bytes.length;) {
    const marker = bytes[at + 1]!
    if (bytes[at] !== 0xff) return
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === SOS) return
    const length = bytes.readUInt16BE(at + 2)
    if (length < 2) return
    yield { marker, data: bytes.subarray(at + 4, at + 2 + length) }
    at += 2 + length
  }
}

/** Returns the orientation from the Exif data, or 1 if there is none. */
function orientationOf(tiff: Buffer): number {
  if (tiff.length < 14) return 1
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number): number => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  for (let entry = 0; entry < short(directory); entry++) {
    const at = directory + 2 + entry * 12
    if (short(at) === 0x0112) return short(at + 8)
  }
  return 1
}
