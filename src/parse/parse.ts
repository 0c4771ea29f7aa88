import { DocsearchError } from '../core/errors.ts'
import type { Page } from '../core/parsed.ts'
import { tooManyPages, tooMuchText } from './failures.ts'
import { DOCX, HTML, MARKDOWN, PDF, TEXT, WHAT_IS_READ } from './media-types.ts'
import { missingText } from './missing-text.ts'
import type { Parser, ParserInput, ParserOutput, ParseSummary } from './parser.ts'

/** One reader for each media type, loaded when first needed. A new format is one line here and one in sniff.ts. */
const PARSERS: Record<string, () => Promise<Parser>> = {
  [PDF]: async () => (await import('./pdf/pdf.ts')).parsePdf,
  [DOCX]: async () => (await import('./docx/docx.ts')).parseDocx,
  [TEXT]: async () => (await import('./text.ts')).parseText,
  [MARKDOWN]: async () => (await import('./markdown.ts')).parseMarkdown,
  [HTML]: async () => (await import('./html.ts')).parseHtml,
}

/**
 * Reads one file in this process, page by page into `output`, under the limits on pages and text. The daemon calls it in a
 * child process only (pool.ts).
 * Throws DocsearchError: `unsupported_type`, `encrypted`, `corrupt`, `too_many_pages`, `too_much_text`, `too_much_xml`,
 * `too_many_entries`.
 */
export async function parseFile(input: ParserInput, output: ParserOutput): Promise<ParseSummary> {
  const load = PARSERS[input.mediaType]
  if (load === undefined)
    throw new DocsearchError('unsupported_type', `There is no parser for ${input.mediaType}; ${WHAT_IS_READ}`)
  const started = performance.now()
  const parser = await load()
  let bytes = 0
  const blank: number[] = []
  const summary = await parser(input, {
    open(pageCount) {
      if (pageCount > input.limits.pages) throw tooManyPages(pageCount, input.limits.pages)
      output.open(pageCount)
    },
    page(page: Page) {
      bytes += Buffer.byteLength(page.text)
      if (bytes > input.limits.textBytes) throw tooMuchText(input.limits.textBytes)
      if (page.text.trim() === '') blank.push(page.number)
      output.page(page)
    },
  })
  const missing = missingText(blank, summary.pageCount, input.mediaType === PDF ? 'not_set' : 'no_pictures')
  return {
    ...summary,
    warnings: missing === null ? summary.warnings : [...summary.warnings, missing],
    facts: { ...summary.facts, took_ms: Math.round(performance.now() - started) },
  }
}
