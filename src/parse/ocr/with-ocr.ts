import { isDocsearchError } from '../../core/errors.ts'
import type { DocumentWarning } from '../../core/model.ts'
import type { Block, Page, ParsedDocument } from '../../core/parsed.ts'
import { missingText } from './missing-text.ts'
import { type Ocr, OcrFailure } from './ocr.ts'

/** True where some of its pages were read and have no text. */
export function needsOcr({ pages }: ParsedDocument): boolean {
  return pages.some(isBlank)
}

/**
 * A document with the text that a program for character recognition found on the pages that have none; the others stay as they
 * are. Its failure is a warning. Throws the signal's reason.
 */
export async function withOcr(
  document: ParsedDocument,
  { ocr, file, signal, parse }: { ocr: Ocr; file: string; signal: AbortSignal; parse: (file: string) => Promise<ParsedDocument> },
): Promise<ParsedDocument> {
  const started = performance.now()
  try {
    const recognised = await ocr.run(file, signal, async (output) => {
      try {
        return await parse(output)
      } catch (error) {
        if (!isDocsearchError(error)) throw error
        // Its advice is for whoever made the file, and that was the program.
        throw new OcrFailure(`what it wrote at {output} is no PDF that can be read (${error.code})`, { cause: error })
      }
    })
    if (recognised.pageCount !== document.pageCount)
      throw new OcrFailure(`it wrote ${recognised.pageCount} pages, the document has ${document.pageCount}`)
    return merge(document, recognised, Math.round(performance.now() - started))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OcrFailure)) throw error
    const message = `OCR failed: ${error.message}; mend parse.ocr_command or the limit, start the instance again and reprocess the document`
    return { ...document, warnings: [...warningsOf(document, document.pages, 'failed'), { code: 'ocr_failed', message }] }
  }
}

function merge(document: ParsedDocument, recognised: ParsedDocument, tookMs: number): ParsedDocument {
  const found = new Map(recognised.pages.filter((page) => !isBlank(page)).map((page) => [page.number, page]))
  const tables = Math.max(0, ...document.pages.flatMap(({ blocks }) => blocks.map(({ table = 0 }) => table)))
  let filled = 0
  const pages = document.pages.map((page) => {
    const other = isBlank(page) ? found.get(page.number) : undefined
    if (other === undefined) return page
    filled++
    return {
      ...other,
      blocks: other.blocks.map((block): Block => (block.table ? { ...block, table: block.table + tables } : block)),
    }
  })
  const facts = { ...document.facts, ocr: { pages: filled, took_ms: tookMs } }
  const warnings = warningsOf(document, pages, 'found_none')
  return { ...document, title: document.title ?? recognised.title, pages, warnings, facts }
}

/** What was said of pages without text, said anew. */
function warningsOf(document: ParsedDocument, pages: readonly Page[], ocr: 'failed' | 'found_none'): DocumentWarning[] {
  const blank = pages.filter(isBlank).map(({ number }) => number)
  const missing = missingText(blank, document.pageCount, ocr)
  const others = document.warnings.filter(({ code }) => code !== 'no_text' && code !== 'pages_without_text')
  return missing === null ? others : [...others, missing]
}

function isBlank({ text }: Page): boolean {
  return text.trim() === ''
}
