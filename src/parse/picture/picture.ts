import { readFile } from 'node:fs/promises'
import type { Parser } from '../parser.ts'
import { pageOfJpeg } from './jpeg.ts'
import { pdfOfImages, type PicturePage } from './pdf-of-images.ts'
import { pictureKind } from './picture-kind.ts'
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
