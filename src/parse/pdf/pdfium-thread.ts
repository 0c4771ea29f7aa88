import { Worker } from 'node:worker_threads'
import { builtModule } from '../../core/built-module.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { PageSource } from './line.ts'
import type { PageAnswer, PageQuestion } from './image/page-question.ts'
import type { OpenPdf } from './pdfium.ts'
import type { Opened, Question, Reply } from './pdfium-thread-protocol.ts'

const MAIN = builtModule(new URL('./pdfium-thread-main.ts', import.meta.url))

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

let thread: Worker | null = null
const waiting: Waiting[] = []

/**
 * Opens a PDF like `openWithPdfium`, but in a thread of its own. PDFium takes nine tenths of the time of a PDF. While it reads a page,
 * this thread finds paragraphs, tables and running lines on the pages before. The thread gives no protection: a crash in it ends the
 * process.
 */
export async function openInThread(file: string): Promise<OpenPdf> {
  const { document, ...opened } = (await ask({ what: 'open', file })) as Opened
  const opener = thread
  return {
    ...opened,
    read: (index) => ask({ what: 'read', document, index }) as Promise<PageSource>,
    close() {
      // A thread that has ended, or ends now, has closed the document.
      if (thread === opener) ask({ what: 'close', document }).catch(() => {})
    },
  }
}

/** Calls `checkPassword` in the thread. */
export async function checkPasswordInThread(file: string): Promise<void> {
  await ask({ what: 'check', file })
}

/** Calls `answerPage` in the thread. */
export async function answerPageInThread(file: string, question: PageQuestion): Promise<PageAnswer> {
  return (await ask({ what: 'page', file, question })) as PageAnswer
}

function ask(question: Question): Promise<unknown> {
  return new Promise((resolve, reject) => {
    thread ??= start()
    waiting.push({ resolve, reject })
    // The thread keeps the process alive only while it has a question to answer.
    thread.ref()
    thread.postMessage(question)
  })
}

function start(): Worker {
  const started = new Worker(MAIN)
  const onEnd = (error: unknown): void => {
    if (thread !== started) return
    thread = null
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  started.on('message', (reply: Reply) => {
    const { resolve, reject } = waiting.shift()!
    if (waiting.length === 0) started.unref()
    if ('value' in reply) resolve(reply.value)
    else reject('known' in reply ? toError(reply.known) : new Error(reply.failure))
  })
  started.on('error', onEnd)
  started.on('exit', () => onEnd(new Error('the PDFium thread ended')))
  return started
}

function toError({ code, message, details, cause }: Extract<Reply, { known: unknown }>['known']): DocsearchError {
  return new DocsearchError(code, message, { details, cause })
}
