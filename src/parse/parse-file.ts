import { formatIdOf, hasPageImages } from '../core/formats.ts'
import { pagesAre } from '../core/location.ts'
import type { Page } from '../core/parsed.ts'
import { cleanTitle } from './blocks/page-builder.ts'
import { tooManyPages, tooMuchText, unsupportedType } from './failures.ts'
import { missingText } from './ocr/missing-text.ts'
import type { ParserInput, ParserOutput, ParseSummary } from './parser.ts'
import { READERS } from './readers.ts'

/**
 * Reads a file in this process, page by page into `output`, within the limits on pages and text. In the daemon it runs only in a
 * parser process (pool/pool.ts).
 * Throws DocsearchError: `unsupported_type`, `encrypted`, `corrupt`, `too_many_pages`, `too_much_text`, `too_much_xml`,
 * `too_many_entries`.
 */
export async function parseFile(input: ParserInput, output: ParserOutput): Promise<ParseSummary> {
  const format = formatIdOf(input.mediaType)
  if (format === undefined) throw unsupportedType(`a file of type ${input.mediaType}`, false, input.mediaType)
  const started = performance.now()
  const parser = await READERS[format].load()
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
    attachment: async (attachment) => output.attachment?.(attachment),
  })
  const missing = missingText(
    blank,
    summary.pageCount,
    hasPageImages(input.mediaType) ? 'not_set' : READERS[format].kind === 'text' ? 'no_pages' : 'no_pictures',
  )
  return {
    ...summary,
    title: cleanTitle(summary.title),
    warnings: missing === null ? summary.warnings : [...summary.warnings, missing],
    facts: { ...summary.facts, pages_are: pagesAre(input.mediaType), took_ms: Math.round(performance.now() - started) },
  }
}
