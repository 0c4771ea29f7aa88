import type { DocsearchError } from '../../core/errors.ts'
import type { OpenPdf } from './pdfium.ts'
import type { PageQuestion } from './image/page-question.ts'

/** A message to the thread. The thread answers messages in order. */
export type Question =
  | { what: 'check'; file: string }
  | { what: 'page'; file: string; question: PageQuestion }
  | { what: 'open'; file: string }
  | { what: 'read'; document: number; index: number }
  | { what: 'close'; document: number }

/** The answer to `open`. */
export type Opened = Pick<OpenPdf, 'pageCount' | 'title' | 'outlineDepth'> & { document: number }

export type Reply =
  | { value: unknown }
  | { known: Pick<DocsearchError, 'code' | 'message' | 'details'> & { cause: string } }
  | { failure: string }
