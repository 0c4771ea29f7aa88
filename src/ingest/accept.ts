import { rm } from 'node:fs/promises'
import { translateDiskError } from '../core/disk-errors.ts'
import { isPicture } from '../core/formats.ts'
import { killPoint } from '../core/kill-point.ts'
import { noOcr } from '../parse/failures.ts'
import { sniff } from '../parse/sniff/sniff.ts'
import type { IngestOptions, Ingest } from './ingest.ts'

export type OriginalStores = Pick<IngestOptions, 'records' | 'blobs' | 'parserPool' | 'ocr'>

/** Makes `Ingest.accept`: checks an upload, stores its bytes and queues the document, in this order. A refused upload leaves no file behind. */
export function createAccept(
  options: OriginalStores & Pick<IngestOptions, 'quotas' | 'trashDays'>,
  nudge: () => void,
): Ingest['accept'] {
  const { records, quotas, trashDays = 0 } = options
  return async ({ file, sha256, onConflict, ownerId, ...upload }) => {
    killPoint('body')
    try {
      const mediaType = await storeOriginal(options, { file, sha256, name: upload.name, owner: ownerId })
      const registered = await records.documents.register({ ...upload, sha256, mediaType }, onConflict, quotas, {
        isKept: trashDays > 0,
      })
      if (registered.outcome === 'replaced') killPoint('replace')
      killPoint('commit')
      nudge()
      return registered
    } catch (error) {
      await rm(file, { force: true })
      throw translateDiskError(error)
    }
  }
}

/** Finds the format of a received file, checks that it can be opened, and stores its bytes. Returns its media type. */
export async function storeOriginal(
  { records, blobs, parserPool, ocr }: OriginalStores,
  { file, sha256, name, owner }: { file: string; sha256: string; name: string; owner: string },
): Promise<string> {
  const { mediaType } = await sniff(file, name)
  if (ocr === undefined && isPicture(mediaType)) throw noOcr(mediaType)
  await parserPool.preflight({ owner, file, mediaType, name })
  await blobs.put(file, sha256)
  await records.originals.markIntact(sha256)
  return mediaType
}
