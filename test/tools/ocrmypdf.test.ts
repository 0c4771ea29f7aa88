import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOcr } from '../../src/parse/ocr/ocr.ts'
import { makePdf } from '../support/make-documents.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { openBench } from '../unit/ingest/harness.ts'

const isThere = ['ocrmypdf', 'pdftoppm'].every((program) =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program))),
)

/** Prints a page as a picture. */
async function printed(options: readonly string[], extension: string): Promise<string> {
  const folder = await tempFolder()
  await writeFile(join(folder, 'print.pdf'), await makePdf([[{ heading: 'Notice of termination' }]]))
  execFileSync('pdftoppm', ['-r', '150', ...options, '-singlefile', join(folder, 'print.pdf'), join(folder, 'page')])
  return join(folder, `page.${extension}`)
}

async function openWithOcr() {
  const command = ['ocrmypdf', '--skip-text', '{input}', '{output}']
  return openBench({ ocr: await createOcr({ command, folder: join(await tempFolder(), 'ocr'), limitMs: 60_000, maxBytes: 1e6 }) })
}

test.skipIf(!isThere)('ocrmypdf reads a scanned page', async () => {
  const bench = await openWithOcr()
  const scan = await makePdf([[{ image: await printed(['-png'], 'png') }]])
  expect((await bench.ingested('scan.pdf', scan)).warnings).toEqual([])
  expect(await bench.found('termination')).toEqual(['scan.pdf'])
})

test.skipIf(!isThere).each([
  ['png', ['-png']],
  ['jpg', ['-jpeg']],
  ['tif', ['-tiff', '-tiffcompression', 'lzw']],
])('ocrmypdf reads a picture (%s)', async (extension, options) => {
  const bench = await openWithOcr()
  const document = await bench.ingested(`scan.${extension}`, await readFile(await printed(options, extension)))
  expect(document.warnings).toEqual([])
  expect(await bench.found('termination')).toEqual([`scan.${extension}`])
})
