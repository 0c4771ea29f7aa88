import { isDocsearchError } from '../../core/errors.ts'
import type { Page } from '../../core/parsed.ts'
import { cleanTitle } from '../blocks/page-builder.ts'
import type { Parser, ParserInput, PdfEngine } from '../parser.ts'
import type { PageSource } from './line.ts'
import { layOut, type TableCounter } from './layout.ts'
import type { OpenPdf } from './pdfium.ts'
import { findRunning } from './running.ts'
import { typographyOf } from './typography.ts'

/** Pages that are read first to learn the sizes of type. */
const SAMPLE_PAGES = 8
/** Earlier pages that a page is compared with. Enough for headers that alternate between left and right pages. */
const PAGES_BEFORE = 5
/** Pages that are requested in advance. Their lines stay in memory until they are laid out. */
const PAGES_AHEAD = 8
/** Titles that programs make up. */
const NO_TITLE =
  /^(untitled|no title|document\s*\d*|title|microsoft word|powerpoint presentation|slide 1|print|layout 1)$|\.(docx?|rtf|tex|dvi|indd|qxd|pdf|txt|fm|pptx?|xlsx?|html?)$|^[\W\d_]*$/i

/** Reads a PDF with the chosen engine, or with the other one if the chosen one can't open the file. */
export const parsePdf: Parser = async (input, output) => {
  const { pdf, engine } = await openPdf(input)
  try {
    output.open(pdf.pageCount)
    // An odd step, so that the sample has left and right pages.
    const step = Math.max(1, Math.floor(pdf.pageCount / SAMPLE_PAGES)) | 1
    const sampled = new Map<number, Promise<PageSource>>()
    for (let i = 0; i < pdf.pageCount && sampled.size < SAMPLE_PAGES; i += step) sampled.set(i, pdf.read(i))
    const pages = readAhead(pdf.pageCount, (i) => sampled.get(i) ?? pdf.read(i))
    const sample = new Map(await Promise.all([...sampled].map(async ([i, source]) => [i, await source] as const)))
    const typography = typographyOf(
      [...sample.values()].flatMap((source) => source.lines),
      pdf.outlineDepth,
    )

    const counter: TableCounter = { tables: 0, figuresAtEnd: 0 }
    let heading: string | null = null
    let runningPages = 0
    // Running lines are recognized by the sample and the pages before, never by later pages: each page goes out as soon as it is
    // read, so that a killed process loses none.
    const known = new Map(sample)
    for (let i = 0; i < pdf.pageCount; i++) {
      const source = await pages.next()
      const page = layOut(i + 1, source, findRunning(i, source, known, pdf.pageCount), typography, counter)
      known.set(i, source)
      if (!sample.has(i - PAGES_BEFORE)) known.delete(i - PAGES_BEFORE)
      if (i === 0) heading = firstHeading(page)
      if (page.running !== undefined) runningPages++
      output.page(page)
    }
    const facts = { engine, ...(runningPages === 0 ? {} : { running_pages: runningPages }) }
    return { title: titleOf(pdf.title) ?? heading, pageCount: pdf.pageCount, warnings: [], facts }
  } finally {
    pdf.close()
  }
}

/** Returns the pages in order. Requests a few pages in advance, the first ones at once. */
function readAhead(count: number, read: (index: number) => Promise<PageSource>): { next(): Promise<PageSource> } {
  const requested: Promise<PageSource>[] = []
  let next = 0
  const request = (): void => {
    for (; next < count && requested.length < PAGES_AHEAD; next++) {
      const page = read(next)
      // next() reports a failure. If an earlier page fails first, this page's failure is never reported.
      page.catch(() => {})
      requested.push(page)
    }
  }
  request()
  return {
    next() {
      const page = requested.shift()!
      request()
      return page
    },
  }
}

/** Opens the file, with the second engine only if the first reports damage: neither can open a file with a password. */
async function openPdf({ file, pdfEngine }: ParserInput): Promise<{ pdf: OpenPdf; engine: PdfEngine }> {
  const other: PdfEngine = pdfEngine === 'pdfium' ? 'pdf2json' : 'pdfium'
  try {
    return { pdf: await ENGINES[pdfEngine](file), engine: pdfEngine }
  } catch (error) {
    if (!isDocsearchError(error, 'corrupt')) throw error
    const pdf = await ENGINES[other](file).catch(() => {
      // Both failed. The error of the chosen engine counts.
      throw error
    })
    return { pdf, engine: other }
  }
}

const ENGINES: Record<PdfEngine, (file: string) => Promise<OpenPdf>> = {
  pdfium: async (file) => (await import('./pdfium-thread.ts')).openInThread(file),
  pdf2json: async (file) => (await import('./pdf2json.ts')).openWithPdf2json(file),
}

function titleOf(metadata: string): string | null {
  const title = cleanTitle(metadata)?.replace(/^Microsoft (Word|PowerPoint) - /, '') ?? ''
  return title === '' || NO_TITLE.test(title) ? null : title
}

/** Returns the heading in the largest type on the first page. */
function firstHeading(page: Page): string | null {
  let best: Page['blocks'][number] | null = null
  for (const block of page.blocks) {
    if (block.kind === 'heading' && (block.level ?? 6) < (best?.level ?? 3)) best = block
  }
  return best === null ? null : page.text.slice(best.start, best.end)
}
