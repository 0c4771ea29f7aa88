import { hash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_LIMITS } from '../src/config/config.ts'
import { FORMATS } from '../src/core/formats.ts'
import { silentLogger } from '../src/core/logger.ts'
import { ImageCache } from '../src/images/image-cache.ts'
import { createPageImages, type PageImages } from '../src/images/page-images.ts'
import { align } from '../src/parse/pdf/image/find-marks.ts'
import { readText } from '../src/parse/pdf/pdfium-lines.ts'
import { withDocument } from '../src/parse/pdf/pdfium.ts'
import { createParserPool, type ParserPool } from '../src/parse/pool/pool.ts'
import { DATA_DIR } from '../test/support/data.ts'
import { ms, percentile, timed, type Figure } from './measure.ts'

const WIDTH = 1_000
const MAX_COLD_MS = 150
const MAX_BYTES = 100_000
const SPACE = /\s/

/** Measures images of all pages of the filings: their sizes, the time without and with the cache, and how much of the text is found on them. */
export async function measurePages(): Promise<Figure[]> {
  const filings = DATA_DIR && join(DATA_DIR, 'filings', 'pdfs')
  if (!filings || !existsSync(filings)) return [{ name: 'images of pages of the filings', value: 'skipped: they are not here' }]
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-pages-'))
  const pool = createParserPool({ workers: 1, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', log: silentLogger })
  try {
    const cache = new ImageCache({ folder, maxBytes: 1e9, log: silentLogger })
    const totals = {
      bytes: [] as number[],
      cold: [] as number[],
      warm: [] as number[],
      marks: [] as number[],
      characters: 0,
      found: 0,
    }
    for (const name of readdirSync(filings).toSorted()) {
      const file = join(filings, name)
      const images = createPageImages({ blobs: { withFile: (_, work) => work(file) }, parserPool: pool, cache })
      await measureFile({ file, images, pool }, totals)
    }
    const { bytes, cold, warm, marks, characters, found } = totals
    const late = cold.filter((ms) => ms > MAX_COLD_MS).length
    return [
      {
        name: `image of a page of the filings (${bytes.length} pages) at ${WIDTH} pixels, p50`,
        value: kB(percentile(bytes, 0.5)),
      },
      { name: 'the same, largest', value: kB(Math.max(...bytes)), bound: `≤ ${MAX_BYTES / 1000} kB` },
      {
        name: 'the same, time without the cache, p50 and p95',
        value: `${ms(percentile(cold, 0.5))}, ${ms(percentile(cold, 0.95))}`,
      },
      { name: `pages that take more than ${MAX_COLD_MS} ms`, value: `${late} (at most ${ms(Math.max(...cold))})`, bound: '0' },
      {
        name: 'the same, time with the cache, p50 and p95',
        value: `${ms(percentile(warm, 0.5))}, ${ms(percentile(warm, 0.95))}`,
      },
      {
        name: 'time to mark the whole text of a page, p50 and p95',
        value: `${ms(percentile(marks, 0.5))}, ${ms(percentile(marks, 0.95))}`,
      },
      { name: 'characters of the text that are found on their page', value: `${((100 * found) / characters).toFixed(2)} %` },
    ]
  } finally {
    await pool.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Totals {
  bytes: number[]
  cold: number[]
  warm: number[]
  marks: number[]
  characters: number
  found: number
}

async function measureFile(
  { file, images, pool }: { file: string; images: PageImages; pool: ParserPool },
  totals: Totals,
): Promise<void> {
  const sha256 = hash('sha256', file, 'hex')
  const { pages } = await pool.parse({ owner: 'bench', file, mediaType: FORMATS.pdf.mediaType, name: file })
  for (const { number: page, text } of pages) {
    const key = { sha256, page, width: WIDTH }
    const cold = await timed(() => images.image('bench', key))
    totals.bytes.push(cold.value.length)
    totals.cold.push(cold.ms)
    totals.warm.push((await timed(() => images.image('bench', key))).ms)
    const toMark = { text, passage: [0, text.length] as const, words: [] }
    totals.marks.push((await timed(() => images.marks('bench', { sha256, page }, toMark))).ms)
  }
  await withDocument(file, (pdfium, document) => {
    for (const { number, text } of pages) {
      const page = pdfium.api.FPDF_LoadPage(document, number - 1)
      const textPage = pdfium.api.FPDFText_LoadPage(page)
      const found = new Set(align(readText(pdfium, textPage).raw, text).flatMap((piece) => piece.map((pair) => pair.text)))
      const compared = [...text].filter((character) => !SPACE.test(character) && character !== '-').length
      totals.characters += compared
      totals.found += Math.min(found.size, compared)
      pdfium.api.FPDFText_ClosePage(textPage)
      pdfium.api.FPDF_ClosePage(page)
    }
  })
}

const kB = (bytes: number): string => `${Math.round(bytes / 1000)} kB`
