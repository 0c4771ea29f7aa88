import { inflateSync } from 'node:zlib'
import { rawPdf } from './make-bombs.ts'

/** Returns a PDF of one page with this content and these entries in the page's dictionary. */
export function rawPage(content: string, entries = '/MediaBox[0 0 600 800]'): Buffer {
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    `<</Type/Page/Parent 2 0 R${entries}/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>`,
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ])
}

export interface DecodedPng {
  width: number
  height: number
  hasColour: boolean
  /** Red, green and blue of a pixel, whose place is given in shares of the width and height. */
  at(x: number, y: number): [number, number, number]
}

/** Decodes the PNGs that docsearch writes: four bits for each pixel, without filters. */
export function decodePng(png: Uint8Array): DecodedPng {
  const bytes = Buffer.from(png)
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
  const [header, palette, rows] = [chunks.get('IHDR')!, chunks.get('PLTE'), inflateSync(chunks.get('IDAT')!)]
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  return {
    width,
    height,
    hasColour: palette !== undefined,
    at(x, y) {
      const [column, row] = [Math.floor(x * width), Math.floor(y * height)]
      const pair = rows[row * (1 + Math.ceil(width / 2)) + 1 + (column >> 1)]!
      const index = column % 2 === 0 ? pair >> 4 : pair & 15
      if (palette === undefined) return [index * 17, index * 17, index * 17]
      return [palette[index * 3]!, palette[index * 3 + 1]!, palette[index * 3 + 2]!]
    },
  }
}
