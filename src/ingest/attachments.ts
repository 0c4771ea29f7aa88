import type { IncomingSink } from '../blobs/incoming-files.ts'
import { receiveFiles } from '../blobs/incoming-files.ts'
import { isDocsearchError } from '../core/errors.ts'
import { isPicture } from '../core/formats.ts'
import { killPoint } from '../core/kill-point.ts'
import type { SkippedAttachment } from '../core/parsed.ts'
import { noOcr } from '../parse/failures.ts'
import { sniff } from '../parse/sniff/sniff.ts'
import type { AttachmentPiece } from '../parse/worker/protocol.ts'
import type { NewAttachment } from '../records/attachments.ts'
import type { IngestOptions } from './context.ts'

/** Takes the attachments of one message from its parser and stores them. */
export interface TakenAttachments {
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
export function createTakeAttachments({
  records,
  blobs,
  parserPool,
  ocr,
  limits,
}: Pick<IngestOptions, 'records' | 'blobs' | 'parserPool' | 'ocr' | 'limits'>): (owner: string) => TakenAttachments {
  return (owner) => {
    const files = receiveFiles(blobs.incoming, limits.fileBytes)
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
        const { mediaType } = await sniff(file, name)
        if (ocr === undefined && isPicture(mediaType)) throw noOcr(mediaType)
        await parserPool.preflight({ owner, file, mediaType, name })
        await blobs.put(file, sha256)
        await records.originals.markIntact(sha256)
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
