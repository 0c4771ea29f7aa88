import { isDocsearchError } from '../../core/errors.ts'
import type { Page } from '../../core/parsed.ts'
import { collapse } from '../blocks/page-builder.ts'
import type { Parser, ParserInput, PdfEngine } from '../parser.ts'
import type { PageSource } from './line.ts'
import { layOut, type TableCounter } from './layout.ts'
import type { OpenPdf } from './pdfium.ts'
import { findRunning } from './running.ts'
import { typographyOf } from './typography.ts'

/** Pages looked at beforehand to learn the sizes of type. */
const SAMPLE_PAGES = 8
/** Enough for heads that alternate between left and right pages. */
const PAGES_BEFORE = 5
/** Their lines are held until they are laid out. */
const PAGES_AHEAD = 8
/** Titles that programs write by themselves. */
const NO_TITLE =
  /^(untitled|no title|document\s*\d*|title|microsoft word|powerpoint presentation|slide 1|print|layout 1)$|\.(docx?|rtf|tex|dvi|indd|qxd|pdf|txt|fm|pptx?|xlsx?|html?)$|^[\W\d_]*$/i

/** PDF: pages of blocks, from the engine that was chosen, or the other where that one cannot open the file. */
export const parsePdf: Parser = async (input, output) => {
  const { pdf, engine } = await openPdf(input)
  try {
    output.open(pdf.pageCount)
    // Odd, so that left pages and right ones are among them.
    const step = Math.max(1, Math.floor(pdf.pageCount / SAMPLE_PAGES)) | 1
    const asked = new Map<number, Promise<PageSource>>()
    for (let i = 0; i < pdf.pageCount && asked.size < SAMPLE_PAGES; i += step) asked.set(i, pdf.read(i))
    const pages = readAhead(pdf.pageCount, (i) => asked.get(i) ?? pdf.read(i))
    const sample = new Map(await Promise.all([...asked].map(async ([i, source]) => [i, await source] as const)))
    const typography = typographyOf(
      [...sample.values()].flatMap((source) => source.lines),
      pdf.outlineDepth,
    )

    const counter: TableCounter = { tables: 0 }
    let heading: string | null = null
    let runningPages = 0
    // What repeats is seen on the sample and on the pages just before, never on pages to come: a page goes out as soon as it is
    // read, so that a kill loses none.
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

/** Pages in order, of which a few are asked for before they are needed, the first of them now. */
function readAhead(count: number, read: (index: number) => Promise<PageSource>): { next(): Promise<PageSource> } {
  const asked: Promise<PageSource>[] = []
  let next = 0
  const ask = (): void => {
    for (; next < count && asked.length < PAGES_AHEAD; next++) {
      const page = read(next)
      // Whoever asks for it hears of it, and nobody does once one before it has failed.
      page.catch(() => {})
      asked.push(page)
    }
  }
  ask()
  return {
    next() {
      const page = asked.shift()!
      ask()
      return page
    },
  }
}

/** The second engine is asked only about damage: a password is a password, and a limit a limit, with either. */
async function openPdf({ file, pdfEngine }: ParserInput): Promise<{ pdf: OpenPdf; engine: PdfEngine }> {
  const other: PdfEngine = pdfEngine === 'pdfium' ? 'pdf2json' : 'pdfium'
  try {
    return { pdf: await ENGINES[pdfEngine](file), engine: pdfEngine }
  } catch (error) {
    if (!isDocsearchError(error, 'corrupt')) throw error
    const pdf = await ENGINES[other](file).catch(() => {
      // Both failed: what the first said is what counts.
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
  const title = collapse(metadata)
    .replace(/\s+/g, ' ')
    .replace(/^Microsoft (Word|PowerPoint) - /, '')
  return title === '' || NO_TITLE.test(title) ? null : title.slice(0, 300)
}

/** The largest type on the first page. */
function firstHeading(page: Page): string | null {
  let best: Page['blocks'][number] | null = null
  for (const block of page.blocks) {
    if (block.kind === 'heading' && (block.level ?? 6) < (best?.level ?? 3)) best = block
  }
  return best === null ? null : page.text.slice(best.start, best.end)
}
