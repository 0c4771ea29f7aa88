import { type IncomingSink, receiveFiles } from '../blobs/files.ts'
import { isDocsearchError } from '../core/errors.ts'
import { FORMATS, hasPageImages, isPicture } from '../core/formats.ts'
import { killPoint } from '../core/kill-point.ts'
import type { DocumentHealth, DocumentRecord } from '../core/model.ts'
import type { Page, ParsedDocument, SkippedAttachment } from '../core/parsed.ts'
import type { Retries } from '../core/retries.ts'
import type { IngestStep, Telemetry } from '../core/telemetry.ts'
import type { OpenIndex } from '../lifecycle/lifecycle.ts'
import { needsOcr, withOcr } from '../parse/ocr/with-ocr.ts'
import { PARSER_VERSION } from '../parse/parser.ts'
import type { AttachmentPiece } from '../parse/worker/protocol.ts'
import type { NewAttachment } from '../records/attachments.ts'
import type { Queue, QueuedDocument } from '../records/queue.ts'
import { type OriginalStores, storeOriginal } from './accept.ts'
import type { IngestOptions } from './ingest.ts'
import type { DocumentText, PreparePassages, StoredVectors } from './passages.ts'
import type { IndexWriter } from './writer.ts'

/** A parser process that dies without an error may have been killed by the system, so its document is parsed again. */
const PARSER_ATTEMPTS = 3

export interface Steps {
  /**
   * Returns the text of a document, from its original or from the stored pages. Null when this version is no longer wanted.
   * @param aside Runs slow work during which the document needs no parser.
   */
  extract(job: QueuedDocument, signal: AbortSignal, aside: Aside): Promise<Extracted | null>
  /** Makes an extracted document searchable. */
  index(job: QueuedDocument, extracted: Extracted, target: OpenIndex, signal: AbortSignal): Promise<void>
}

export type Aside = <T>(work: () => Promise<T>) => Promise<T>

export interface Extracted extends DocumentText {
  /** The number of characters, which stands for the size in memory. */
  chars: number
}

type ReadDocument = ParsedDocument & { attachments?: readonly NewAttachment[] }

type ExtractOptions = Pick<IngestOptions, 'records' | 'blobs' | 'parserPool' | 'ocr' | 'limits' | 'quotas'>

type StepOptions = ExtractOptions & Pick<IngestOptions, 'handedOver'>

export interface StepParts {
  retries: Retries
  preparePassages: PreparePassages
  writer: Pick<IndexWriter, 'write'>
  telemetry: Telemetry
}

export function createSteps(options: StepOptions, { preparePassages, writer, ...parts }: StepParts): Steps {
  return {
    extract: createExtract(options, parts),
    async index(job, extracted, target, signal) {
      const { document, isNew } = job
      const earlier = options.handedOver === undefined ? undefined : earlierVectors(job, target)
      const prepare = () => preparePassages(document, extracted, target.embedder, signal, earlier)
      const prepared = await measured('embed', prepare, parts)
      killPoint('embed')
      const { ownerId, mediaType } = document
      await measured('index', () => writer.write({ ownerId, mediaType, job, target, isNew, ...prepared }), parts)
    },
  }
}

/**
 * Takes the vectors of an earlier version from the index if it has the same texts, so that a change of a name or of tags embeds nothing. Only an
 * instance of several processes does this, because only there do such changes go through the queue. In a data folder, a document may be in the queue
 * because its vectors are damaged, and they must not be copied. Returns undefined for new bytes with the built-in embedder, which makes vectors
 * faster than the index returns them.
 */
function earlierVectors(
  { documentId, isNew, hasPages }: QueuedDocument,
  { index, embedder }: OpenIndex,
): StoredVectors | undefined {
  if (isNew || (embedder.sharedModel !== null && !hasPages)) return undefined
  return async (passages) => {
    // Vectors that can't be read are made again.
    const earlier = await index.vectors(documentId).catch(() => null)
    if (earlier?.size !== passages.length) return null
    const vectors = passages.map(({ index: i, textHash }) => {
      const stored = earlier.get(i)
      return stored?.textHash === textHash ? stored.vector : null
    })
    return vectors.includes(null) ? null : vectors
  }
}

/** Measures a step that ends well. */
async function measured<T>(step: IngestStep, work: () => Promise<T>, { telemetry }: Pick<StepParts, 'telemetry'>): Promise<T> {
  const started = performance.now()
  const result = await telemetry.trace({ name: `ingest.${step}` }, work)
  telemetry.note({ type: 'ingest_step', step, seconds: (performance.now() - started) / 1000 })
  return result
}

interface ExtractParts extends Pick<StepParts, 'retries' | 'telemetry'> {
  /** `Queue.savePages` by default. */
  savePages?: Queue['savePages']
}

export function createExtract(options: ExtractOptions, parts: ExtractParts): Steps['extract'] {
  const { records, blobs, parserPool, ocr, quotas } = options
  const { retries, savePages = records.queue.savePages } = parts
  const takeAttachments = createTakeAttachments(options)

  function read({ document }: QueuedDocument, signal: AbortSignal, aside: Aside): Promise<ReadDocument> {
    return blobs.withFile(document.sha256, async (file) => {
      const parsed = await parse(document, file, signal)
      if (ocr === undefined || !hasPageImages(document.mediaType) || !needsOcr(parsed)) return parsed
      const { ownerId: owner, mediaType } = document
      const recognized = { ...document, mediaType: FORMATS.pdf.mediaType }
      const writePdf = isPicture(mediaType)
        ? (target: string) => parserPool.wrapAsPdf({ owner, file, signal }, target)
        : undefined
      return aside(() =>
        withOcr(parsed, { ocr, owner, file, signal, writePdf, parse: (output) => parse(recognized, output, signal) }),
      )
    })
  }

  async function parse({ ownerId, mediaType, name }: DocumentRecord, file: string, signal: AbortSignal): Promise<ReadDocument> {
    for (let attempt = 1; ; attempt++) {
      const attachments = takeAttachments(ownerId)
      try {
        const onAttachment = attachments.take
        const parsed = await parserPool.parse({ owner: ownerId, file, mediaType, name, signal, onAttachment })
        const attachmentsSkipped = [...(parsed.attachmentsSkipped ?? []), ...attachments.skipped]
        return { ...parsed, attachments: attachments.stored, attachmentsSkipped }
      } catch (error) {
        signal.throwIfAborted()
        if (!isDocsearchError(error, 'parser_crashed') || attempt >= PARSER_ATTEMPTS) throw error
      } finally {
        await attachments.clean()
      }
    }
  }

  async function extract(job: QueuedDocument, signal: AbortSignal, aside: Aside): Promise<Extracted | null> {
    if (job.hasPages && job.document.parse['parser_version'] === PARSER_VERSION) {
      const pages = await records.documents.pages(new Set([job.document.projectId]), job.documentId)
      return pages && { title: job.document.title, tags: job.document.tags, pages, chars: charsOf(pages) }
    }
    const parsed = await measured('parse', () => read(job, signal, aside), parts)
    const { pages, pageCount } = parsed
    const facts = { ...parsed.facts, parser_version: PARSER_VERSION }
    const health = healthOf(pages, pageCount)
    const isWhole = parsed.facts['cut_short'] !== true
    const saved = await retries.run(() => savePages(job, { ...parsed, facts, health, isWhole }, quotas))
    if (saved === null) return null
    killPoint('extract')
    return { ...saved, pages, chars: charsOf(pages) }
  }

  return (job, signal, aside) =>
    retries.run(
      () => extract(job, signal, aside),
      () => signal.aborted,
    )
}

function healthOf(pages: readonly Page[], pageCount: number): DocumentHealth {
  const pagesWithText = pages.filter((page) => page.text.trim() !== '').length
  return { pages: pageCount, pagesWithText, pagesWithoutText: pageCount - pagesWithText, chunksSkipped: 0 }
}

function charsOf(pages: readonly Page[]): number {
  return pages.reduce((sum, page) => sum + page.text.length, 0)
}

/** Takes the attachments of one message from its parser and stores them. */
interface TakenAttachments {
  /** The attachments so far that can become documents. Their originals are stored. */
  readonly stored: readonly NewAttachment[]
  readonly skipped: readonly SkippedAttachment[]
  /** Await each call before the next. Throws the errors of the disk. */
  take(piece: AttachmentPiece): Promise<void>
  /** Removes what has arrived of an attachment that is not complete. */
  clean(): Promise<void>
}

/**
 * Makes the function that takes attachments. The format of an attachment is found as that of an upload is, and the same files are refused. Nothing
 * refers to a stored attachment until `Queue.savePages`, so after a crash the message is read again, and what is left over is swept away.
 */
function createTakeAttachments(options: OriginalStores & Pick<IngestOptions, 'limits'>): (owner: string) => TakenAttachments {
  return (owner) => {
    const files = receiveFiles(options.blobs.incoming, options.limits.fileBytes)
    const stored: NewAttachment[] = []
    const skipped: SkippedAttachment[] = []
    let sink: IncomingSink | null = null

    async function store({ name, page }: AttachmentPiece, received: Awaited<ReturnType<IncomingSink['end']>>): Promise<void> {
      const { file, sha256, sizeBytes, isTooLarge } = received
      if (isTooLarge) {
        skipped.push({ name, page, code: 'too_large' })
        return
      }
      try {
        const mediaType = await storeOriginal(options, { file, sha256, name, owner })
        stored.push({ name, page, mediaType, sizeBytes, sha256 })
        killPoint('attachment')
      } catch (error) {
        if (!isDocsearchError(error) || error.fault !== 'user') throw error
        skipped.push({ name, page, code: error.code })
      }
    }

    return {
      stored,
      skipped,
      async take(piece) {
        sink ??= await files.receive()
        await sink.write(Buffer.from(piece.data, 'base64'))
        if (!piece.isLast) return
        const received = await sink.end()
        sink = null
        await store(piece, received)
      },
      clean: () => files.clean(),
    }
  }
}
