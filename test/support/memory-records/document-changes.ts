import type { AuditDetails, AuditFact } from '../../../src/core/audit.ts'
import type { DocumentRecord, DocumentStatus } from '../../../src/core/model.ts'
import { NO_HEALTH } from '../../../src/records/rules.ts'
import type { MemoryStore, StoredDocument } from './store.ts'

/** The fields of a version that nobody has worked on yet. */
export function freshVersion(now: Date) {
  return {
    status: 'queued' as const,
    updatedAt: now,
    queuedAt: now.getTime(),
    attempts: 0,
    readyAt: null,
    pageCount: null,
    chunkCount: null,
    embeddingModel: null,
    error: null,
    warnings: [],
    health: NO_HEALTH,
    title: null,
    parse: {},
  }
}

export function presentDocument(store: MemoryStore, document: StoredDocument): DocumentRecord {
  const projectName = store.projects.get(document.projectId)!.name
  const {
    queuedAt: _0,
    attempts: _2,
    pages: _3,
    pagesVersion: _4,
    isIndexed: _5,
    counted: _6,
    passages: _7,
    ...record
  } = document
  return structuredClone({ ...record, projectName })
}

export function countStatuses(documents: readonly StoredDocument[]): Record<DocumentStatus, number> {
  const counts = { queued: 0, processing: 0, ready: 0, failed: 0 }
  for (const { status } of documents) counts[status] += 1
  return counts
}

/** Queues the next version of a document. Tags that came from the file go: the next version may have others. */
export function queueNextVersion(store: MemoryStore, document: StoredDocument, change: Partial<StoredDocument> = {}): void {
  const own = givenTitle(document)
  const fresh = { ...freshVersion(store.now()), ...(own.given_title !== undefined && { title: own.given_title, parse: own }) }
  const next = { ...fresh, tags: givenTags(document), version: document.version + 1 }
  Object.assign(document, next, change)
  store.announce('document.queued', [document])
}

/** Queues the same bytes for another index. Pages that are stored belong to the new version too. */
export function queueForIndex(store: MemoryStore, document: StoredDocument, isIndexed: boolean): void {
  const { title, pageCount, warnings, health, parse, version } = document
  const kept = { title, pageCount, warnings, health, parse }
  const pagesVersion = document.pagesVersion === version ? version + 1 : null
  Object.assign(document, freshVersion(store.now()), kept, { version: version + 1, pagesVersion, isIndexed })
  store.announce('document.queued', [document])
}

/** Returns the document's tags without those that its file brought. */
export function givenTags({ tags, parse }: StoredDocument): string[] {
  return JSON.stringify(tags) === JSON.stringify(parse['tags']) ? [] : tags
}

/** Returns the title that the user gave. */
export function givenTitle({ parse }: StoredDocument): { given_title?: string } {
  const { given_title } = parse as { given_title?: string }
  return given_title === undefined ? {} : { given_title }
}

/** Names a document in the audit log, as it is now. */
export function factAbout(
  { id, projectId, name, path }: StoredDocument,
  details: AuditDetails = {},
): Pick<AuditFact, 'projectId' | 'document' | 'details'> {
  return { projectId, document: { id, name }, details: { ...(path !== name && { path }), ...details } }
}

export function removeDocuments(store: MemoryStore, documents: readonly StoredDocument[]): void {
  for (const document of documents) removeDocument(store, document)
  store.announce('document.deleted', documents)
}

export function removeDocument(store: MemoryStore, document: StoredDocument): void {
  store.tombstones.add(document.id)
  countWords(store, document, null)
  for (const { contents } of store.indexes.values()) contents.delete(document.id)
  store.documents.delete(document.id)
  indexQuotesOf(store, document.id)
}

/** Queues the documents that left text out of the index because this one had it. */
export function indexQuotesOf(store: MemoryStore, sourceId: string): void {
  for (const [id, sources] of store.quotations) {
    const document = store.documents.get(id)
    if (!sources.has(sourceId) || document === undefined || !['ready', 'processing'].includes(document.status)) continue
    store.quotations.delete(id)
    queueForIndex(store, document, document.isIndexed)
  }
}

/** Replaces the words that the document counts for in its project's vocabulary. */
export function countWords(store: MemoryStore, document: StoredDocument, words: readonly string[] | null): void {
  const vocabulary = store.vocabularyOf(document.projectId)
  if (document.counted !== null) vocabulary.subtract(document.counted)
  document.counted = words && vocabulary.add(words)
}
