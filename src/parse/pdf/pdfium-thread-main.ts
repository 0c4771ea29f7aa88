import { parentPort } from 'node:worker_threads'
import { isDocsearchError } from '../../core/errors.ts'
import { silenceConsole } from '../worker/silence.ts'
import { answerPage } from './image/answer-page.ts'
import { checkPassword, openWithPdfium } from './pdfium.ts'
import type { OpenedPdf } from './pdfium.ts'
import type { Opened, Question, Reply } from './pdfium-thread-protocol.ts'

const open = new Map<number, OpenedPdf>()
let lastDocument = 0
/** The last answer. Each question waits for the one before, because opening waits until PDFium is loaded. */
let last = Promise.resolve()

silenceConsole()
parentPort!.on('message', (question: Question) => {
  last = last.then(async () => parentPort!.postMessage(await answer(question)))
})

async function answer(question: Question): Promise<Reply> {
  try {
    return { value: await work(question) }
  } catch (error) {
    if (!isDocsearchError(error)) return { failure: String(error) }
    const { code, message, details, cause } = error
    return { known: { code, message, details, cause: String(cause) } }
  }
}

async function work(question: Question): Promise<unknown> {
  if (question.what === 'check') return checkPassword(question.file)
  if (question.what === 'page') return answerPage(question.file, question.question)
  if (question.what === 'open') {
    const pdf = await openWithPdfium(question.file)
    const document = ++lastDocument
    open.set(document, pdf)
    const { pageCount, title, outlineDepth } = pdf
    return { document, pageCount, title, outlineDepth } satisfies Opened
  }
  const pdf = open.get(question.document)!
  if (question.what === 'read') return pdf.read(question.index)
  open.delete(question.document)
  return pdf.close()
}
