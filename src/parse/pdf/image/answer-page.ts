import { DocsearchError } from '../../../core/errors.ts'
import { countOf } from '../../../core/count-of.ts'
import { corrupt } from '../../failures.ts'
import { withDocument } from '../pdfium.ts'
import type { PageAnswer, PageQuestion } from './page-question.ts'
import { findMarks } from './find-marks.ts'
import { renderPage } from './render-page.ts'

/** Renders a page of a PDF, or finds marks on it. Throws `page_not_found`, `encrypted` and `corrupt`. */
export function answerPage(file: string, question: PageQuestion): Promise<PageAnswer> {
  return withDocument(file, (pdfium, document) => {
    const { api } = pdfium
    const pages = api.FPDF_GetPageCount(document)
    if (question.page > pages) throw pageNotFound(question.page, pages)
    const page = api.FPDF_LoadPage(document, question.page - 1)
    if (page === 0) throw corrupt(`Page ${question.page}`)
    try {
      if ('width' in question) return { png: renderPage(pdfium, document, page, question.width) }
      return { marks: findMarks(pdfium, page, question.toMark) }
    } finally {
      api.FPDF_ClosePage(page)
    }
  })
}

function pageNotFound(page: number, pages: number): DocsearchError {
  return new DocsearchError('page_not_found', `The document has ${countOf(pages, 'page')} and no page ${page}.`)
}
