import { execFileSync, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asPdf } from '../../src/parse/picture/picture.ts'
import { makePdf } from '../support/make-documents.ts'
import { tempFolder } from '../support/temp-folder.ts'

const hasPoppler = spawnSync('pdftoppm', ['-v']).status === 0

/** Renders the first page of a PDF as grey pixels. */
async function pixelsOf(folder: string, name: string, pdf: Uint8Array, dpi: number): Promise<Buffer> {
  await writeFile(join(folder, `${name}.pdf`), pdf)
  execFileSync('pdftoppm', ['-r', String(dpi), '-gray', '-singlefile', join(folder, `${name}.pdf`), join(folder, name)])
  const file = await readFile(join(folder, `${name}.pgm`))
  const [, width, height] = /^P5\s+(\d+)\s+(\d+)/.exec(file.toString('latin1', 0, 50))!
  return file.subarray(-Number(width) * Number(height))
}

function difference(a: Buffer, b: Buffer): number {
  return a.reduce((sum, value, at) => sum + Math.abs(value - b[at]!), 0) / a.length
}

test.skipIf(!hasPoppler).each([
  ['png', ['-png']],
  ['png', ['-png', '-gray']],
  ['png', ['-png', '-mono']],
  ['jpg', ['-jpeg']],
  ['jpg', ['-jpeg', '-gray']],
  ['jpg', ['-jpegcmyk']],
  ['tif', ['-tiff', '-tiffcompression', 'none']],
  ['tif', ['-tiff', '-tiffcompression', 'packbits', '-gray']],
  ['tif', ['-tiff', '-tiffcompression', 'lzw']],
  ['tif', ['-tiff', '-tiffcompression', 'deflate']],
  ['tif', ['-tiff', '-mono']],
])('the PDF of a picture looks like the picture: %s %j', async (extension, options) => {
  const folder = await tempFolder()
  const original = await makePdf([[{ heading: 'Notice of termination' }, { text: 'The rent is due in May. '.repeat(30) }]])
  const wanted = await pixelsOf(folder, 'original', original, 100)
  execFileSync('pdftoppm', ['-r', '100', ...options, '-singlefile', join(folder, 'original.pdf'), join(folder, 'page')])
  const found = await pixelsOf(folder, 'wrapped', asPdf(await readFile(join(folder, `page.${extension}`))), 100)
  const upsideDown = Buffer.from(wanted).reverse()
  expect(found).toHaveLength(wanted.length)
  expect(difference(wanted, found)).toBeLessThan(difference(wanted, upsideDown) / 2)
})
