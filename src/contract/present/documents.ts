import type { DocumentRecord } from '../../core/model.ts'
import type { Document } from '../documents.ts'

/** Presents a document. */
export function presentDocument(document: DocumentRecord & { trashedAt?: Date }): Document {
  return {
    id: document.id,
    project: { id: document.projectId, name: document.projectName },
    name: document.name,
    path: document.path,
    media_type: document.mediaType,
    size_bytes: document.sizeBytes,
    sha256: document.sha256,
    status: document.status,
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
    ready_at: document.readyAt?.toISOString() ?? null,
    trashed_at: document.trashedAt?.toISOString() ?? null,
    page_count: document.pageCount,
    chunk_count: document.chunkCount,
    embedding_model: document.embeddingModel,
    error: document.error === null ? null : { code: document.error.code, message: document.error.message },
    warnings: document.warnings.map(({ code, message, page }) =>
      page === undefined ? { code, message } : { code, message, page },
    ),
    health: {
      pages: document.health.pages,
      pages_with_text: document.health.pagesWithText,
      pages_without_text: document.health.pagesWithoutText,
      chunks_skipped: document.health.chunksSkipped,
    },
    title: document.title,
    tags: document.tags,
    parent_id: document.parentId,
    parent_page: document.parentPage,
    parse: document.parse,
  }
}
