import { answerCalls } from '../../core/thread.ts'
import { silenceConsole } from '../worker/silence.ts'
import { answerPage } from './image/answer-page.ts'
import type { PageAnswer, PageQuestion } from './image/page-question.ts'
import type { PageSource } from './line.ts'
import { checkPassword, type OpenPdf, openWithPdfium, type OpenedPdf } from './pdfium.ts'

/** The calls of this thread. `document` is the number that the caller gave to an open PDF. */
export interface PdfiumCalls {
  check: { request: { file: string }; answer: void }
  page: { request: { file: string; question: PageQuestion }; answer: PageAnswer }
  open: { request: { file: string; document: number }; answer: Pick<OpenPdf, 'pageCount' | 'title' | 'outlineDepth'> }
  read: { request: { document: number; index: number }; answer: PageSource }
  close: { request: { document: number }; answer: void }
}

const open = new Map<number, OpenedPdf>()

silenceConsole()

answerCalls<PdfiumCalls>({
  check: ({ file }) => checkPassword(file),
  page: ({ file, question }) => answerPage(file, question),
  async open({ file, document }) {
    const pdf = await openWithPdfium(file)
    open.set(document, pdf)
    const { pageCount, title, outlineDepth } = pdf
    return { pageCount, title, outlineDepth }
  },
  read: ({ document, index }) => open.get(document)!.read(index),
  close({ document }) {
    open.get(document)?.close()
    open.delete(document)
  },
})
