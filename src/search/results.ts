import type { DocumentRecord } from '../core/model.ts'
import type { Passage } from '../index/chunk-index.ts'
import type { Documents } from '../records/records.ts'
import { highlight } from '../text/highlight.ts'
import type { Group } from './group.ts'
import type { SearchHit } from './search.ts'

/**
 * The first `count` groups whose document is still there, with their documents. The index may hold chunks of a document that was
 * deleted a moment ago, or whose replacement failed: they count for nothing, not for the offset either. Documents are read only as far as they are needed.
 */
export async function existing(
  groups: readonly Group[],
  count: number,
  getMany: (ids: readonly string[]) => ReturnType<Documents['getMany']>,
): Promise<{ group: Group; document: DocumentRecord }[]> {
  const found: { group: Group; document: DocumentRecord }[] = []
  const documents = new Map<string, DocumentRecord>()
  const asked = new Set<string>()
  for (let at = 0; at < groups.length && found.length < count;) {
    const next = groups.slice(at, at + count - found.length)
    at += next.length
    const unknown = [...new Set(next.map((group) => group.best.documentId))].filter((id) => !asked.has(id))
    if (unknown.length > 0) for (const [id, document] of await getMany(unknown)) documents.set(id, document)
    for (const id of unknown) asked.add(id)
    for (const group of next) {
      const document = documents.get(group.best.documentId)
      if (document !== undefined && document.status !== 'failed') found.push({ group, document })
    }
  }
  return found
}

/** A result as the caller gets it. */
export function present(
  group: Group,
  document: DocumentRecord,
  passage: Passage,
  rank: number,
  terms: readonly string[],
): SearchHit {
  const { id, index, pageStart, pageEnd, heading, charStart, charEnd, text } = passage
  return {
    rank,
    score: group.best.score,
    document,
    chunk: { id, index, pageStart, pageEnd, heading, charStart, charEnd },
    text,
    highlights: highlight(text, terms),
    matchingChunks: group.matchingChunks,
    stages: group.best.stages,
  }
}
