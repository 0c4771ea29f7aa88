import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex, ChunkIndexStore } from '../index/chunk-index.ts'
import type { IndexRecord, Records } from '../records/records.ts'
import type { OpenIndex, IndexState } from './lifecycle.ts'

/** A search that began before a change may still read the index that goes. */
const DROP_DELAY_MS = 30_000

/** An index that is open. */
export interface LoadedIndex extends OpenIndex {
  /** The embedder itself, also while `embedder` stands in for it. Null where it cannot be had, and for those kept since before the start. */
  real: Embedder | null
}

type RetiredIndex = Pick<LoadedIndex, 'record' | 'index' | 'real'>

/** The indexes that are open: the active one, the one being built, and those that are kept. Changed by one at a time. */
export interface OpenIndexes {
  active: LoadedIndex | null
  building: LoadedIndex | null
  retired: readonly RetiredIndex[]
  inactive(): Pick<LoadedIndex, 'record' | 'index'>[]
  /** This record becomes the active one; its index is opened unless it is the one that is open. Throws `index_corrupt`. */
  take(record: IndexRecord, embedder: Embedder): Promise<void>
  /** Opens one to be built; null when its files are damaged. */
  open(record: IndexRecord): Promise<ChunkIndex | null>
  retire(retired: RetiredIndex): void
  /** It goes from the list of those kept, and stays open. */
  takeRetired(id: string): RetiredIndex | null
  /** Its row is gone already; its files follow, once no search reads them any more. */
  dropLater(id: string, open: Pick<LoadedIndex, 'index' | 'real'> | null): void
  drop(id: string): Promise<void>
  list(): Promise<string[]>
  states(): Promise<IndexState[]>
  state(record: IndexRecord): Promise<IndexState>
  close(): Promise<void>
}

export function createOpenIndexes({
  records,
  indexStore,
  log,
}: {
  records: Pick<Records, 'indexes'>
  indexStore: ChunkIndexStore
  log: Logger
}): OpenIndexes {
  const leaving = new Map<NodeJS.Timeout, () => Promise<void>>()

  async function state(record: IndexRecord): Promise<IndexState> {
    const loaded = [openIndexes.active, openIndexes.building, ...openIndexes.retired].find((one) => one?.record.id === record.id)
    const [chunks, sizeBytes, progress] = await Promise.all([
      loaded ? countOf(loaded) : null,
      indexStore.size(record.id),
      record.state === 'active' ? null : records.indexes.progress(record.id),
    ])
    return { record, chunks, sizeBytes, progress }
  }

  /** An index that cannot be read is listed without its count; health says what is wrong with it. */
  async function countOf({ record, index }: Pick<LoadedIndex, 'record' | 'index'>): Promise<number | null> {
    try {
      return await index.countChunks()
    } catch (error) {
      log.warn({ err: error, index: record.id }, 'the passages of an index could not be counted')
      return null
    }
  }

  const openIndexes: OpenIndexes = {
    active: null,
    building: null,
    retired: [],
    inactive: () => [...(openIndexes.building ? [openIndexes.building] : []), ...openIndexes.retired],
    async take(record, embedder) {
      const before = openIndexes.active
      // The index that is open already serves on: only its embedder has come.
      const reused = before?.record.id === record.id ? before.index : null
      const index = reused ?? (await indexStore.open({ id: record.id, dimensions: record.dimensions }))
      const canEmbed = embedder.maxTokens > 0
      openIndexes.active = { record, embedder, index, canEmbed, real: canEmbed ? embedder : null }
      // On a rebuild the embedder stays.
      if (before && before.embedder !== embedder) await before.embedder.close()
      if (before && before.index !== index) await before.index.close()
    },
    async open({ id, dimensions }) {
      try {
        return await indexStore.open({ id, dimensions })
      } catch (error) {
        if (!isDocsearchError(error, 'index_corrupt')) throw error
        log.warn({ err: error, index: id }, 'an index that is not in use is damaged and is dropped')
        return null
      }
    },
    retire(retired) {
      openIndexes.retired = [...openIndexes.retired, retired]
    },
    takeRetired(id) {
      const found = openIndexes.retired.find((retired) => retired.record.id === id) ?? null
      openIndexes.retired = openIndexes.retired.filter((retired) => retired !== found)
      return found
    },
    dropLater(id, open) {
      const end = async () => {
        leaving.delete(timer)
        await open?.real?.close()
        await open?.index.close()
        await indexStore.drop(id)
      }
      const timer = setTimeout(
        () => void end().catch((error: unknown) => log.warn({ err: error, index: id }, 'an index could not be dropped')),
        DROP_DELAY_MS,
      )
      timer.unref()
      leaving.set(timer, end)
    },
    drop: (id) => indexStore.drop(id),
    list: () => indexStore.list(),
    state,
    states: async () => Promise.all((await records.indexes.all()).map(state)),
    async close() {
      for (const [timer, end] of leaving) {
        clearTimeout(timer)
        await end()
      }
      for (const loaded of [openIndexes.active, openIndexes.building, ...openIndexes.retired]) {
        await loaded?.real?.close()
        await loaded?.index.close()
      }
    },
  }
  return openIndexes
}
