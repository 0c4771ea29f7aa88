import { Worker } from 'node:worker_threads'
import { DocsearchError } from '../../core/errors.ts'
import type { PageSource } from './line.ts'
import type { OpenPdf } from './pdfium.ts'

/** The built program runs the built thread, a checkout the source: Node strips the types. */
const MAIN = new URL(`./pdfium-thread-main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/** Asked one after the other, and answered in that order. */
export type Question =
  | { what: 'check'; file: string }
  | { what: 'open'; file: string }
  | { what: 'read'; document: number; index: number }
  | { what: 'close'; document: number }

/** Answer to `open`. */
export type Opened = Pick<OpenPdf, 'pageCount' | 'title' | 'outlineDepth'> & { document: number }

export type Reply =
  | { value: unknown }
  | { known: Pick<DocsearchError, 'code' | 'message' | 'details'> & { cause: string } }
  | { failure: string }

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

let thread: Worker | null = null
const waiting: Waiting[] = []

/**
 * As `openWithPdfium`, in a thread of its own: PDFium takes nine tenths of the time that a PDF takes, and while it reads a page this thread finds
 * paragraphs, tables and running heads on the ones before. It is no more of a shelter than one thread would be; what ends badly ends the process.
 */
export async function openInThread(file: string): Promise<OpenPdf> {
  const { document, ...opened } = (await ask({ what: 'open', file })) as Opened
  const opener = thread
  return {
    ...opened,
    read: (index) => ask({ what: 'read', document, index }) as Promise<PageSource>,
    close() {
      // One that is gone has closed it; one that goes while it is asked has, too.
      if (thread === opener) ask({ what: 'close', document }).catch(() => {})
    },
  }
}

/** As `checkPassword` of PDFium, in the same thread. */
export async function checkPasswordInThread(file: string): Promise<void> {
  await ask({ what: 'check', file })
}

function ask(question: Question): Promise<unknown> {
  return new Promise((resolve, reject) => {
    thread ??= start()
    waiting.push({ resolve, reject })
    // It keeps the process only while it is asked something.
    thread.ref()
    thread.postMessage(question)
  })
}

function start(): Worker {
  const started = new Worker(MAIN)
  const lost = (error: unknown): void => {
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
  started.on('error', lost)
  started.on('exit', () => lost(new Error('the thread of PDFium ended')))
  return started
}

function toError({ code, message, details, cause }: Extract<Reply, { known: unknown }>['known']): DocsearchError {
  return new DocsearchError(code, message, { details, cause })
}
