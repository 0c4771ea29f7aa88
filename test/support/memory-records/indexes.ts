import { newId } from '../../../src/core/ids.ts'
import type { Indexes, IndexRecord, NewIndex } from '../../../src/records/indexes.ts'
import { presentDocument } from './document-changes.ts'
import { queueReadByOthers, switchTo } from './index-switch.ts'
import { oldestFirst } from './lists.ts'
import { deleteWhere } from './store.ts'
import type { MemoryStore, StoredDocument, StoredIndex } from './store.ts'

type Documents = Pick<Indexes, 'missing' | 'wanted' | 'record' | 'contents' | 'forget' | 'progress' | 'countPassages'>

export function memoryIndexes(store: MemoryStore): Indexes {
  const { indexes } = store

  /** Adds an index and forgets the one that had its state. */
  function add(index: NewIndex, state: IndexRecord['state']): IndexRecord {
    deleteWhere(indexes, ({ record }) => record.state === state)
    const createdAt = store.now()
    const record = { ...index, id: newId('gen', createdAt), state, createdAt }
    indexes.set(record.id, { record, measurements: null, contents: new Map() })
    return { ...record }
  }

  return {
    async active() {
      const active = [...indexes.values()].find(({ record }) => record.state === 'active')
      return active === undefined ? null : { ...active.record }
    },
    all: async () => [...indexes.values()].map(({ record }) => ({ ...record })).sort(oldestFirst),
    activate: async (index) => add(index, 'active'),
    build: async (index) => add(index, 'building'),
    async resume(id) {
      deleteWhere(indexes, ({ record }) => record.state === 'building')
      const index = indexes.get(id)
      if (index?.record.state !== 'retired') return null
      index.record.state = 'building'
      return { ...index.record }
    },
    async drop(id) {
      indexes.delete(id)
    },
    async clear() {
      indexes.clear()
    },
    measurements: async (id) => structuredClone(indexes.get(id)?.measurements ?? null),
    async setMeasurements(id, measurements) {
      const index = indexes.get(id)
      if (index !== undefined) index.measurements = structuredClone(measurements)
    },
    ...memoryIndexDocuments(store),
    switchTo: async (id, options) => store.write(() => switchTo(store, id, options)),
    adopt: async (id, { fingerprint, parserVersion }) =>
      store.write(() => {
        const index = indexes.get(id)
        if (index !== undefined) index.record.fingerprint = fingerprint
        return queueReadByOthers(store, parserVersion)
      }),
    chosen: async () => store.chosenEmbedder,
    async choose(embedder) {
      store.chosenEmbedder = embedder
    },
  }
}

function memoryIndexDocuments(store: MemoryStore): Documents {
  const { documents, indexes } = store
  const contentsOf = (id: string) => indexes.get(id)?.contents ?? (new Map() as StoredIndex['contents'])
  const searchable = () => [...documents.values()].filter(({ status, chunkCount }) => status === 'ready' && (chunkCount ?? 0) > 0)
  const isHeld = (id: string, document: StoredDocument) => contentsOf(id).get(document.id)?.version === document.version

  return {
    async missing(id, { after, limit }) {
      const missing = searchable().filter((document) => document.id > after && !isHeld(id, document))
      const sorted = missing.sort((a, b) => (a.id < b.id ? -1 : 1))
      return sorted.slice(0, limit).map((document) => presentDocument(store, document))
    },
    async wanted(jobs) {
      const wanted = jobs.filter(({ documentId, version }) => {
        const document = documents.get(documentId)
        return document?.status === 'ready' && document.version === version
      })
      return new Set(wanted.map(({ documentId }) => documentId))
    },
    async record(id, entries) {
      for (const entry of entries)
        if (documents.has(entry.documentId)) contentsOf(id).set(entry.documentId, structuredClone(entry))
    },
    async contents(id) {
      const held = [...contentsOf(id).values()]
      return new Map(
        held.flatMap(({ documentId, version, chunks }) => (chunks === null ? [] : [[documentId, { version, chunks }]])),
      )
    },
    async forget(id, documentIds) {
      for (const documentId of documentIds) contentsOf(id).delete(documentId)
    },
    async progress(id, projects) {
      const total = searchable().filter((document) => projects === undefined || projects.has(document.projectId))
      const held = total.filter((document) => isHeld(id, document))
      const left = total.filter((document) => !isHeld(id, document))
      const passagesDone = held.reduce((sum, document) => sum + (contentsOf(id).get(document.id)?.chunks ?? 0), 0)
      const passagesTotal = passagesDone + left.reduce((sum, document) => sum + (document.chunkCount ?? 0), 0)
      return { done: held.length, total: total.length, passagesDone, passagesTotal }
    },
    async countPassages(id, projects) {
      const own = searchable().filter((document) => projects.has(document.projectId))
      const isActive = indexes.get(id)?.record.state === 'active'
      const chunksOf = (document: StoredDocument) =>
        (isActive ? document.chunkCount : contentsOf(id).get(document.id)?.chunks) ?? 0
      return own.reduce((sum, document) => sum + chunksOf(document), 0)
    },
  }
}
