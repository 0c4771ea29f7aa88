import type { DocumentRecord, DocumentWarning } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { IndexedPassage } from '../index/chunk-index.ts'
import type { Batcher } from './batcher.ts'
import { embeddingInput } from './prepare/prepare.ts'
import type { Prepared, PrepareThreads } from './prepare/threads.ts'

/** What is read of a document. */
export interface Text {
  title: string | null
  tags: readonly string[]
  pages: readonly Page[]
}

export interface Passages {
  /** Ready for an index, in order. */
  chunks: IndexedPassage[]
  prepared: Prepared
  /** Without a vector: found by their words only, which a warning says. */
  chunksSkipped: number
  warnings: DocumentWarning[]
}

/** A document's text to passages with their vectors. Rejects when `signal` is aborted, and as `prepare` and `embedDocuments` do. */
export function createPassages({ threads, batcher }: { threads: PrepareThreads; batcher: Batcher }) {
  return async (
    document: DocumentRecord,
    { title, tags, pages }: Text,
    embedder: Embedder,
    signal: AbortSignal,
  ): Promise<Passages> => {
    const shown = title ?? document.name
    const { name, maxTokens, tokenCounter: counter } = embedder
    const { sharedModel: model } = embedder
    const prepared = await threads.prepare({ title: shown, pages, maxTokens, counter, model })
    signal.throwIfAborted()
    const inputs = () => prepared.chunks.map((chunk) => embeddingInput(shown, chunk))
    const vectors = prepared.vectors ?? (await batcher.embed(embedder, inputs(), signal))
    const chunks = prepared.chunks.map((chunk, i) => ({
      ...chunk,
      ...placeOf(document, chunk.index),
      tags,
      title: shown,
      vector: vectors[i] ?? null,
    }))
    const chunksSkipped = chunks.filter((chunk) => chunk.vector === null).length
    const warnings = chunksSkipped === 0 ? [] : [notEmbedded(chunksSkipped, chunks.length, name)]
    return { chunks, prepared, chunksSkipped, warnings }
  }
}

/** What a passage has of its document, so that filters run inside the index. */
function placeOf(document: DocumentRecord, index: number) {
  const { id, version, ownerId, projectId, mediaType, name, path, createdAt } = document
  return {
    id: `${id}:${version}:${index}`,
    documentId: id,
    version,
    ownerId,
    projectId,
    mediaType,
    name,
    path,
    documentCreatedAt: createdAt,
  }
}

/** `isEmbeddingWarning` in records/indexes.ts knows its code. */
function notEmbedded(skipped: number, all: number, model: string): DocumentWarning {
  return {
    code: 'chunk_not_embedded',
    message: `${skipped} of ${all} passages could not be embedded by ${model}; they are found by their words only.`,
  }
}
