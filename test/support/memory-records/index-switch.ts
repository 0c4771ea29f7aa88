import { isEmbeddingWarning } from '../../../src/records/indexes.ts'
import { queueForIndex } from './document-changes.ts'
import type { MemoryStore, StoredDocument, StoredIndex } from './store.ts'

/** Indexes.switchTo. */
export function switchTo(
  store: MemoryStore,
  id: string,
  { waitForReplaced, parserVersion }: { waitForReplaced: boolean; parserVersion: number },
): boolean {
  const next = store.indexes.get(id)
  if (next?.record.state !== 'building') return false
  const documents = [...store.documents.values()]
  if (documents.some((document) => isAwaited(document, next, waitForReplaced))) return false
  const ready = documents.filter(({ status }) => status === 'ready')
  retire(store, next, ready)
  for (const document of ready) takeOver(document, next)
  const notEmbedded = ready.filter((document) => next.contents.get(document.id)?.chunks === null)
  for (const document of notEmbedded) queueForIndex(store, document, true)
  queueReadByOthers(store, parserVersion)
  next.contents.clear()
  next.record.state = 'active'
  return true
}

/** Queues the ready documents that another version of the parsers has read. Returns how many. */
export function queueReadByOthers(store: MemoryStore, parserVersion: number): number {
  const documents = [...store.documents.values()].filter(
    ({ status, parse }) => status === 'ready' && (parse['parser_version'] ?? 0) !== parserVersion,
  )
  for (const document of documents) queueForIndex(store, document, true)
  return documents.length
}

/** True when the switch has to wait for this document. */
function isAwaited(document: StoredDocument, { contents }: StoredIndex, waitForReplaced: boolean): boolean {
  const held = contents.get(document.id)
  const { status, chunkCount, version, isIndexed } = document
  if (status === 'ready') return (chunkCount ?? 0) > 0 && held?.version !== version
  return waitForReplaced && status !== 'failed' && isIndexed && held === undefined
}

/** Retires the active index with what it holds, or forgets it when the next one has the same embedder. */
function retire(store: MemoryStore, next: StoredIndex, ready: readonly StoredDocument[]): void {
  const active = [...store.indexes.values()].find(({ record }) => record.state === 'active')
  if (active === undefined) return
  if (active.record.embeddingModel === next.record.embeddingModel) {
    store.indexes.delete(active.record.id)
    return
  }
  active.record.state = 'retired'
  active.contents.clear()
  for (const { id, version, chunkCount, health, warnings } of ready) {
    if ((chunkCount ?? 0) === 0) continue
    const embedding = { chunksSkipped: health.chunksSkipped, warnings: warnings.filter(isEmbeddingWarning) }
    active.contents.set(id, { documentId: id, version, chunks: chunkCount, ...embedding })
  }
}

/** Makes the document say what the next index holds of it. */
function takeOver(document: StoredDocument, next: StoredIndex): void {
  const held = next.contents.get(document.id)
  const isSkipping = (held?.chunksSkipped ?? 0) > 0
  document.embeddingModel = next.record.embeddingModel
  document.chunkCount = held?.chunks ?? document.chunkCount
  document.passages = document.chunkCount ?? document.passages
  document.health = { ...document.health, chunksSkipped: held?.chunksSkipped ?? 0 }
  const others = document.warnings.filter((warning) => !isEmbeddingWarning(warning))
  document.warnings = [...others, ...(isSkipping ? held!.warnings : [])]
}
