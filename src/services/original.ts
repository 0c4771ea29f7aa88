import type { Blobs } from '../blobs/blobs.ts'
import type { Logger } from '../core/logger.ts'
import type { DocumentRecord } from '../core/model.ts'
import type { Records } from '../records/records.ts'
import type { Actor } from './access.ts'

/** The bytes that were uploaded. */
export interface Original {
  document: DocumentRecord
  sizeBytes: number
  /** `range` counts bytes; both ends are included. Records the download, unless the actor has uploaded these bytes. */
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

interface Parts {
  records: Pick<Records, 'audit'>
  blobs: Pick<Blobs, 'size' | 'open'>
  log: Logger
}

/** Throws `blob_missing`. */
export async function originalOf(actor: Actor, document: DocumentRecord, parts: Parts): Promise<Original> {
  const sizeBytes = await parts.blobs.size(document.sha256)
  // Version 0.1.0 stored no uploader. Only the owner of a project could upload to it then.
  const isUploader = (document.uploaderId ?? document.ownerId) === actor.userId
  return {
    document,
    sizeBytes,
    async open(range) {
      if (!isUploader) await recordDownload(document, parts)
      return parts.blobs.open(document.sha256, range)
    },
  }
}

/** A PDF viewer reads a file in many parts, so these count as one event. A full disk stops no download. */
async function recordDownload({ id, name, path, projectId }: DocumentRecord, { records, log }: Parts): Promise<void> {
  try {
    const details = path === name ? {} : { path }
    await records.audit.record({ action: 'document.download', projectId, document: { id, name }, details, isRepeated: true })
  } catch (error) {
    log.warn({ err: error, document: id }, 'could not record a download')
  }
}
