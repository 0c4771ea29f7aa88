import { isDocsearchError } from '../../core/errors.ts'
import type { Page } from '../../core/parsed.ts'
import { collapse } from '../page-builder.ts'
import type { Parser, ParserInput, PdfEngine } from '../parser.ts'
import type { PageSource } from './line.ts'
import { layOut, type TableCounter } from './layout.ts'
import type { OpenPdf } from './pdfium.ts'
import { typographyOf } from './typography.ts'

/** Pages looked at beforehand to learn the sizes of type. */
const SAMPLE_PAGES = 8
/** Titles that programs write by themselves. */
const NO_TITLE =
  /^(untitled|no title|document\s*\d*|title|microsoft word|powerpoint presentation|slide 1|print|layout 1)$|\.(docx?|rtf|tex|dvi|indd|qxd|pdf|txt|fm|pptx?|xlsx?|html?)$|^[\W\d_]*$/i

/** PDF: pages of blocks, from the engine that was chosen, or the other where that one cannot open the file. */
export const parsePdf: Parser = async (input, output) => {
  const { pdf, engine } = await openPdf(input)
  try {
    output.open(pdf.pageCount)
    const sampled = new Map<number, PageSource>()
    const step = Math.max(1, Math.floor(pdf.pageCount / SAMPLE_PAGES))
    for (let i = 0; i < pdf.pageCount && sampled.size < SAMPLE_PAGES; i += step) sampled.set(i, pdf.read(i))
    const typography = typographyOf(
      [...sampled.values()].flatMap((source) => source.lines),
      pdf.outlineDepth,
    )

    const counter: TableCounter = { tables: 0 }
    let heading: string | null = null
    for (let i = 0; i < pdf.pageCount; i++) {
      const source = sampled.get(i) ?? pdf.read(i)
      sampled.delete(i)
      const page = layOut(i + 1, source, typography, counter)
      if (i === 0) heading = firstHeading(page)
      output.page(page)
    }
    return { title: titleOf(pdf.title) ?? heading, pageCount: pdf.pageCount, warnings: [], facts: { engine } }
  } finally {
    pdf.close()
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
  pdfium: async (file) => (await import('./pdfium.ts')).openWithPdfium(file),
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
