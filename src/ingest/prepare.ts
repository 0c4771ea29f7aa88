import { chunkDocument } from '../chunk/chunk.ts'
import { formatHeading } from '../core/chunk.ts'
import type { DocumentRecord } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import type { Embedder, EmbeddingInput } from '../embed/embedder.ts'
import type { IndexedChunk } from '../index/chunk-index.ts'
import { analyse } from '../text/analyse.ts'

/** Work in this thread goes on for so long at most before requests get their turn. */
const SLICE_MS = 12

export interface Prepared {
  /** Ready for the index but for their vectors. */
  chunks: Omit<IndexedChunk, 'vector'>[]
  inputs: EmbeddingInput[]
}

/** Pages to passages with their terms, sized for this embedder. */
export async function prepare(
  document: DocumentRecord,
  version: number,
  parsed: { title: string | null; pages: readonly Page[] },
  embedder: Pick<Embedder, 'maxTokens' | 'countTokens'>,
): Promise<Prepared> {
  const title = parsed.title ?? document.name
  const prepared: Prepared = { chunks: [], inputs: [] }
  let since = performance.now()
  for (const chunk of chunkDocument(parsed.pages, { maxTokens: embedder.maxTokens, countTokens: (text) => embedder.countTokens(text) })) {
    const heading = formatHeading(chunk.headingPath)
    const terms = analyse([title, ...chunk.headingPath, chunk.text].join('\n')).map((token) => token.term)
    const { index, text, charStart, charEnd, pageStart, pageEnd } = chunk
    prepared.chunks.push({
      id: `${document.id}:${version}:${index}`,
      documentId: document.id,
      version,
      ownerId: document.ownerId,
      projectId: document.projectId,
      mediaType: document.mediaType,
      path: document.path,
      tags: document.tags,
      documentCreatedAt: document.createdAt,
      ...{ index, pageStart, pageEnd, charStart, charEnd, heading, title, text },
      terms: terms.join(' '),
    })
    prepared.inputs.push({ text, title: heading === '' ? title : `${title} › ${heading}` })
    if (performance.now() - since > SLICE_MS) {
      await new Promise(setImmediate)
      since = performance.now()
    }
  }
  return prepared
}
