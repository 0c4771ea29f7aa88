import { isDocsearchError } from '../../core/errors.ts'
import type { DocumentWarning } from '../../core/model.ts'
import type { Block, Page, ParsedDocument } from '../../core/parsed.ts'
import { missingText } from './missing-text.ts'
import { type Ocr, OcrFailure, type OcrInput } from './ocr.ts'

/** True if a page that was read has no text. */
export function needsOcr({ pages }: ParsedDocument): boolean {
  return pages.some(isBlank)
}

/**
 * Returns the document with the text that the OCR program found on its pages without text. The other pages stay unchanged. A
 * failure of the program becomes a warning. Throws the signal's reason.
 */
export async function withOcr(
  document: ParsedDocument,
  { ocr, parse, ...input }: OcrInput & { ocr: Ocr; parse: (file: string) => Promise<ParsedDocument> },
): Promise<ParsedDocument> {
  const started = performance.now()
  try {
    const recognized = await ocr.run(input, async (output) => {
      try {
        return await parse(output)
      } catch (error) {
        if (!isDocsearchError(error)) throw error
        // The parser's message advises the author of the file, which is the program here.
        throw new OcrFailure(`the PDF that the program wrote at {output} cannot be read (${error.code})`, { cause: error })
      }
    })
    if (recognized.pageCount !== document.pageCount)
      throw new OcrFailure(`the program wrote ${recognized.pageCount} pages, but the document has ${document.pageCount}`)
    return merge(document, recognized, Math.round(performance.now() - started))
  } catch (error) {
    input.signal.throwIfAborted()
    if (!(error instanceof OcrFailure)) throw error
    const message = `OCR failed: ${error.message}. Correct parse.ocr_command or the limit, restart the instance and reprocess the document.`
    return { ...document, warnings: [...warningsOf(document, document.pages, 'failed'), { code: 'ocr_failed', message }] }
  }
}

function merge(document: ParsedDocument, recognized: ParsedDocument, tookMs: number): ParsedDocument {
  const found = new Map(recognized.pages.filter((page) => !isBlank(page)).map((page) => [page.number, page]))
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
  return { ...document, title: document.title ?? recognized.title, pages, warnings, facts }
}

/** Returns the document's warnings with a new one about its pages without text. */
function warningsOf(document: ParsedDocument, pages: readonly Page[], ocr: 'failed' | 'found_none'): DocumentWarning[] {
  const blank = pages.filter(isBlank).map(({ number }) => number)
  const missing = missingText(blank, document.pageCount, ocr)
  const others = document.warnings.filter(({ code }) => code !== 'no_text' && code !== 'pages_without_text')
  return missing === null ? others : [...others, missing]
}

function isBlank({ text }: Page): boolean {
  return text.trim() === ''
}
