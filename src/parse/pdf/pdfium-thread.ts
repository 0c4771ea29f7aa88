import { builtModule } from '../../core/built-module.ts'
import { Thread } from '../../core/thread.ts'
import type { PageAnswer, PageQuestion } from './image/page-question.ts'
import type { OpenPdf } from './pdfium.ts'
import type { PdfiumCalls } from './pdfium-thread-main.ts'

const thread = new Thread<PdfiumCalls>(builtModule(new URL('./pdfium-thread-main.ts', import.meta.url)))
let lastDocument = 0

/**
 * Opens a PDF like `openWithPdfium`, but in a separate thread. PDFium takes nine tenths of the time of a PDF. While it reads a page,
 * this thread finds paragraphs, tables and running lines on the pages before. The thread gives no protection: a crash in it ends the
 * process.
 */
export async function openInThread(file: string): Promise<OpenPdf> {
  const document = ++lastDocument
  const opened = await thread.call('open', { file, document })
  return {
    ...opened,
    read: (index) => thread.call('read', { document, index }),
    close() {
      // A thread that has ended, or ends now, has closed the document.
      if (thread.isRunning) thread.call('close', { document }).catch(() => {})
    },
  }
}

/** Calls `checkPassword` in the thread. */
export async function checkPasswordInThread(file: string): Promise<void> {
  await thread.call('check', { file })
}

/** Calls `answerPage` in the thread. */
export function answerPageInThread(file: string, question: PageQuestion): Promise<PageAnswer> {
  return thread.call('page', { file, question })
}
