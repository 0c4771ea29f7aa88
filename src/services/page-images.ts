import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import { countOf } from '../core/count-of.ts'
import { hasPageImages } from '../core/formats.ts'
import type { Logger } from '../core/logger.ts'
import type { DocumentRecord } from '../core/model.ts'
import type { PageMarks, TextToMark } from '../core/page-image.ts'
import type { PageImages as Renderer } from '../images/page-images.ts'
import type { Actor } from './access.ts'
import type { Documents } from './documents.ts'

/** An image that is not rendered yet. */
export interface PageImage {
  document: DocumentRecord
  etag: string
  /** Throws `page_not_found`, `page_image_failed`, `blob_missing`, `unavailable` and `rate_limited`. */
  png(): Promise<Buffer>
}

/** Images of the pages of documents, for their readers. */
export interface PageImages {
  /** Throws `document_not_found`, `insufficient_scope`, `no_page_images` and `page_not_found`. */
  get(actor: Actor, id: string, page: number, width: number): Promise<PageImage>
  /**
   * Returns where a passage is on a page of a document that the actor has read. `failed` if the page has no image, and `unknown` if
   * the instance is too busy.
   */
  marks(actor: Actor, document: DocumentRecord, page: number, toMark: TextToMark): Promise<PageMarks | 'failed' | 'unknown'>
}

export function createPageImages({
  documents,
  pageImages,
  log,
}: {
  documents: Pick<Documents, 'get'>
  pageImages: Renderer
  log: Logger
}): PageImages {
  return {
    async get(actor, id, page, width) {
      const document = await documents.get(actor, id)
      const { sha256, mediaType, pageCount } = document
      if (!hasPageImages(mediaType))
        throw new DocsearchError(
          'no_page_images',
          'Only PDFs and pictures have images of their pages. Read the text, or download the original.',
        )
      if (pageCount !== null && page > pageCount)
        throw new DocsearchError('page_not_found', `The document has ${countOf(pageCount, 'page')} and no page ${page}.`)
      const key = { sha256, page, width }
      return { document, etag: pageImages.etag(key), png: () => pageImages.image(actor.userId, key) }
    },

    async marks(actor, { id, sha256 }, page, toMark) {
      try {
        return await pageImages.marks(actor.userId, { sha256, page }, toMark)
      } catch (error) {
        if (!isDocsearchError(error)) throw error
        log.debug({ err: error, document: id, page }, 'could not find a passage on its page')
        return error.code === 'unavailable' || error.code === 'rate_limited' ? 'unknown' : 'failed'
      }
    },
  }
}
