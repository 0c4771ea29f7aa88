import type { DocumentStatus, Quotas } from '../../../src/core/model.ts'
import { NO_QUOTAS, passagesRefusal } from '../../../src/records/quotas.ts'
import type { CutJob, FinishedJob, JobRef, ParsedPages, Queue, QueuedDocument, SavedPages } from '../../../src/records/queue.ts'
import { EMBEDDING_FAILURES, storedTitle } from '../../../src/records/rules.ts'
import { describeSkipped } from '../../../src/records/attachments.ts'
import { saveAttachments } from './attachments.ts'
import {
  countStatuses,
  countWords,
  givenTags,
  givenTitle,
  indexQuotesOf,
  presentDocument,
  queueForIndex,
} from './document-changes.ts'
import type { MemoryStore, StoredDocument } from './store.ts'

export function memoryQueue(store: MemoryStore): Queue {
  const { documents, tombstones } = store
  const having = (...statuses: DocumentStatus[]) => [...documents.values()].filter(({ status }) => statuses.includes(status))

  const requeue = (except: readonly string[], { countAttempt }: { countAttempt: boolean }) =>
    store.write(() => {
      const interrupted = having('processing').filter(({ id }) => !except.includes(id))
      for (const document of interrupted) {
        const attempts = countAttempt ? document.attempts : Math.max(0, document.attempts - 1)
        Object.assign(document, { status: 'queued', updatedAt: store.now(), attempts })
      }
      store.announce('document.queued', interrupted)
      return interrupted.length
    })

  return {
    claim: async (limit, { except = [] } = {}) => store.write(() => claim(store, having('queued'), limit, except)),
    savePages: async (job, parsed, quotas = NO_QUOTAS) => store.write(() => savePages(store, job, parsed, quotas)),
    beginIndexing: async (jobs, quotas = NO_QUOTAS) => beginIndexing(store, jobs, quotas),
    finish: async (results) => store.write(() => results.filter((result) => !finish(store, result)).map(({ job }) => job)),
    fail: async (job, error) =>
      store.write(() => {
        const document = findWanted(store, job)
        if (document === undefined) return
        if (document.isIndexed) tombstones.add(document.id)
        countWords(store, document, null)
        Object.assign(document, { status: 'failed', error, updatedAt: store.now(), attempts: 0, isIndexed: false, passages: 0 })
        indexQuotesOf(store, document.id)
        store.announce('document.failed', [document])
      }),
    release: async (job, { countAttempt }) =>
      store.write(() => {
        const document = findWanted(store, job)
        if (document === undefined) return
        const attempts = countAttempt ? document.attempts : Math.max(0, document.attempts - 1)
        Object.assign(document, { status: 'queued', updatedAt: store.now(), attempts })
        store.announce('document.queued', [document])
      }),
    recover: async () => requeue([], { countAttempt: true }),
    requeueLost: async (inProgress) => requeue(inProgress, { countAttempt: false }),
    requeueAll: async () =>
      store.write(() => {
        const again = [...having('ready', 'processing'), ...having('failed').filter(isEmbeddingFailure)]
        for (const document of again) queueForIndex(store, document, false)
        for (const document of documents.values()) document.isIndexed = false
        return again.length
      }),
    async requeueMany(documentIds) {
      const lost = having('ready').filter(({ id }) => documentIds.includes(id))
      store.write(() => lost.forEach((document) => queueForIndex(store, document, true)))
    },
    tombstones: async () => [...tombstones],
    async clearTombstones(documentIds) {
      for (const id of documentIds) tombstones.delete(id)
    },
    expected: async () =>
      new Map(having('ready').map(({ id, version, chunkCount }) => [id, { version, chunks: chunkCount ?? 0 }])),
    unknown: async (documentIds) => documentIds.filter((id) => (documents.get(id)?.status ?? 'failed') === 'failed'),
    async oldest() {
      const times = [...store.documents.values()]
        .filter(({ status }) => status === 'queued' || status === 'processing')
        .map(({ queuedAt }) => queuedAt)
      return times.length === 0 ? null : new Date(Math.min(...times))
    },
    counts: async (projects) =>
      countStatuses([...documents.values()].filter((document) => projects === undefined || projects.has(document.projectId))),
  }
}

/** Returns the document of a job, unless the job is no longer wanted. */
function findWanted({ documents }: MemoryStore, { documentId, version }: JobRef): StoredDocument | undefined {
  const document = documents.get(documentId)
  return document?.version === version && document.status === 'processing' ? document : undefined
}

function beginIndexing(store: MemoryStore, jobs: readonly CutJob[], quotas: Quotas): Awaited<ReturnType<Queue['beginIndexing']>> {
  const begun: Awaited<ReturnType<Queue['beginIndexing']>> = { wanted: [], refused: [] }
  for (const { passages, ...job } of jobs) {
    const document = findWanted(store, job)
    if (document === undefined) continue
    const error = passagesRefusal(store.allowanceOf(document.ownerId, quotas), document.passages, passages)
    if (error !== null) {
      begun.refused.push({ job, error })
      continue
    }
    begun.wanted.push(job)
    Object.assign(document, { isIndexed: true, passages })
  }
  return begun
}

function isEmbeddingFailure({ error }: StoredDocument): boolean {
  return error !== null && EMBEDDING_FAILURES.includes(error.code)
}

function claim(store: MemoryStore, queued: StoredDocument[], limit: number, except: readonly string[]): QueuedDocument[] {
  const due = queued
    .filter(({ ownerId }) => !except.includes(ownerId))
    .sort((a, b) => a.attempts - b.attempts || a.queuedAt - b.queuedAt || (a.id < b.id ? -1 : 1))
  const turnOf = ({ ownerId }: StoredDocument): number => store.turns.get(ownerId) ?? 0
  const claimed: StoredDocument[] = []
  while (claimed.length < limit && due.length > 0) {
    // The first of an owner's documents, because the sort above keeps its order.
    const [next] = due.toSorted((a, b) => turnOf(a) - turnOf(b) || (a.ownerId < b.ownerId ? -1 : Number(a.ownerId > b.ownerId)))
    claimed.push(...due.splice(due.indexOf(next!), 1))
    store.turns.set(next!.ownerId, Math.max(0, ...store.turns.values()) + 1)
  }
  for (const document of claimed)
    Object.assign(document, { status: 'processing', attempts: document.attempts + 1, updatedAt: store.now() })
  store.announce('document.processing', claimed)
  return claimed.map((document) => ({
    documentId: document.id,
    version: document.version,
    document: presentDocument(store, document),
    attempts: document.attempts - 1,
    hasPages: document.pagesVersion === document.version,
    isNew: !document.isIndexed,
  }))
}

function savePages(store: MemoryStore, job: JobRef, parsed: ParsedPages, quotas: Quotas): SavedPages | null {
  const document = findWanted(store, job)
  if (document === undefined) return null
  const { pages, title, pageCount, health, tags: tagsOfFile = [], attachments = [], isWhole = true } = parsed
  const refused = saveAttachments(store, document, attachments, { isWhole, quotas })
  const skipped = [...(parsed.attachmentsSkipped ?? []), ...refused]
  const about = describeSkipped(skipped, parsed.attachmentsUnlisted)
  const facts = { ...parsed.facts, ...about.facts }
  const warnings = [...parsed.warnings, ...about.warnings]
  store.messages.set(document.id, parsed.messages ?? [])
  const given = givenTags(document)
  const own = givenTitle(document)
  const isFromFile = given.length === 0 && tagsOfFile.length > 0
  const change = {
    title: own.given_title ?? storedTitle(title),
    pageCount,
    warnings,
    health,
    pages: pages.map(({ number, text, blocks }) => ({ number, text, blocks })),
    pagesVersion: job.version,
    tags: isFromFile ? tagsOfFile : given,
    parse: { ...facts, ...own, ...(isFromFile && { tags: tagsOfFile }) },
    // The document got through its parser: later attempts count from here.
    attempts: 1,
    updatedAt: store.now(),
  }
  Object.assign(document, structuredClone(change))
  return { title: document.title, tags: [...document.tags] }
}

/** Returns false when the job is no longer wanted. */
function finish(store: MemoryStore, result: FinishedJob): boolean {
  const { job, chunkCount, chunksSkipped, embeddingModel, warnings, words } = result
  const document = findWanted(store, job)
  if (document === undefined) return false
  countWords(store, document, words === undefined ? null : (JSON.parse(words) as string[]))
  Object.assign(document, {
    status: 'ready',
    readyAt: store.now(),
    updatedAt: store.now(),
    chunkCount,
    passages: chunkCount,
    embeddingModel,
    health: { ...document.health, chunksSkipped },
    warnings: [...document.warnings, ...warnings],
    attempts: 0,
    isIndexed: chunkCount > 0,
  })
  store.tombstones.delete(document.id)
  store.announce('document.ready', [document])
  return true
}
