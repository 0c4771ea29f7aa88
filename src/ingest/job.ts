import { isDocsearchError } from '../core/errors.ts'
import { FORMATS } from '../core/formats.ts'
import { killPoint } from '../core/kill-point.ts'
import type { DocumentHealth, DocumentRecord } from '../core/model.ts'
import type { Page, ParsedDocument } from '../core/parsed.ts'
import type { OpenIndex } from '../lifecycle/lifecycle.ts'
import { needsOcr, withOcr } from '../parse/ocr/with-ocr.ts'
import { PARSER_VERSION } from '../parse/parser.ts'
import type { QueuedDocument } from '../records/records.ts'
import type { Batcher } from './batcher.ts'
import type { IngestOptions } from './context.ts'
import { createPassages } from './passages.ts'
import type { Text } from './passages.ts'
import type { Retries } from '../core/retries.ts'
import type { PrepareThreads } from './prepare/threads.ts'
import type { IndexWriter } from './writer.ts'

/** A parser that ends without a word may have been a victim of its machine: it gets further tries. */
const PARSER_TRIES = 3

export interface Steps {
  /**
   * The text of a document, from its original or from what is kept of it; null when this version is not wanted any more.
   * @param aside Runs what takes long and needs no parser meanwhile.
   */
  extract(job: QueuedDocument, signal: AbortSignal, aside: Aside): Promise<Extracted | null>
  /** From text to searchable. */
  index(job: QueuedDocument, extracted: Extracted, target: OpenIndex, signal: AbortSignal): Promise<void>
}

export type Aside = <T>(work: () => Promise<T>) => Promise<T>

export interface Extracted extends Text {
  /** Size in memory, roughly: characters of text. */
  chars: number
}

export interface StepParts {
  retries: Retries
  threads: PrepareThreads
  batcher: Batcher
  writer: IndexWriter
}

export function createSteps(
  { records, blobs, parserPool, ocr }: IngestOptions,
  { retries, threads, batcher, writer }: StepParts,
): Steps {
  const passages = createPassages({ threads, batcher })

  function read({ document }: QueuedDocument, signal: AbortSignal, aside: Aside): Promise<ParsedDocument> {
    return blobs.withFile(document.sha256, async (file) => {
      const parsed = await parse(document, file, signal)
      if (ocr === undefined || document.mediaType !== FORMATS.pdf.mediaType || !needsOcr(parsed)) return parsed
      return aside(() => withOcr(parsed, { ocr, file, signal, parse: (output) => parse(document, output, signal) }))
    })
  }

  async function parse({ mediaType, name }: DocumentRecord, file: string, signal: AbortSignal): Promise<ParsedDocument> {
    for (let tries = 1; ; tries++) {
      try {
        return await parserPool.parse({ file, mediaType, name, signal })
      } catch (error) {
        signal.throwIfAborted()
        if (!isDocsearchError(error, 'parser_crashed') || tries >= PARSER_TRIES) throw error
      }
    }
  }

  return {
    async extract(job, signal, aside) {
      if (job.hasPages && job.document.parse['parser_version'] === PARSER_VERSION) {
        const pages = await records.documents.pages(job.document.ownerId, job.documentId)
        return pages && { title: job.document.title, tags: job.document.tags, pages, chars: charsOf(pages) }
      }
      const parsed = await read(job, signal, aside)
      const { title, pages, pageCount } = parsed
      const facts = { ...parsed.facts, parser_version: PARSER_VERSION }
      const health = healthOf(pages, pageCount)
      const saved = await retries.run(() => records.queue.savePages(job, { ...parsed, facts, health }))
      if (saved === null) return null
      const { tags } = saved
      killPoint('extract')
      return { title, tags, pages, chars: charsOf(pages) }
    },

    async index(job, extracted, target, signal) {
      const { chunks, prepared, chunksSkipped, warnings } = await passages(job.document, extracted, target.embedder, signal)
      const { words } = prepared
      killPoint('embed')
      await writer.write({ job, target, isNew: job.isNew, chunks, words, warnings, chunksSkipped })
    },
  }
}

function healthOf(pages: readonly Page[], pageCount: number): DocumentHealth {
  const pagesWithText = pages.filter((page) => page.text.trim() !== '').length
  return { pages: pageCount, pagesWithText, pagesWithoutText: pageCount - pagesWithText, chunksSkipped: 0 }
}

function charsOf(pages: readonly Page[]): number {
  return pages.reduce((sum, page) => sum + page.text.length, 0)
}
