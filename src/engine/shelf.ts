import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex, ChunkIndexStore } from '../index/chunk-index.ts'
import type { Generation, Records } from '../records/records.ts'
import type { ActiveEngine, IndexState } from './engine.ts'

/** A search that began before a change may still read the index that goes. */
const RETIRE_MS = 30_000

/** An index that is open. */
export interface Held extends ActiveEngine {
  /** The embedder itself, also while `embedder` stands in for it. Null where it cannot be had, and for those kept since before the start. */
  real: Embedder | null
}

type Kept = Pick<Held, 'generation' | 'index' | 'real'>

/** The indexes that are open: the active one, the one being built, and those that are kept. Changed by one at a time. */
export interface Shelf {
  active: Held | null
  building: Held | null
  kept: readonly Kept[]
  others(): Pick<Held, 'generation' | 'index'>[]
  /** This generation becomes the active one; its index is opened unless it is the one that is open. Throws `index_corrupt`. */
  take(generation: Generation, embedder: Embedder): Promise<void>
  /** Opens one to be built; null when its files are damaged. */
  open(generation: Generation): Promise<ChunkIndex | null>
  keep(kept: Kept): void
  /** It goes from the list of those kept, and stays open. */
  takeBack(id: string): Kept | null
  /** Its row is gone already; its files follow, once no search reads them any more. */
  retire(id: string, open: Pick<Held, 'index' | 'real'> | null): void
  drop(id: string): Promise<void>
  list(): Promise<string[]>
  states(): Promise<IndexState[]>
  state(generation: Generation): Promise<IndexState>
  close(): Promise<void>
}

export function createShelf({
  records,
  indexStore,
  log,
}: {
  records: Pick<Records, 'generations'>
  indexStore: ChunkIndexStore
  log: Logger
}): Shelf {
  const leaving = new Map<NodeJS.Timeout, () => Promise<void>>()

  async function state(generation: Generation): Promise<IndexState> {
    const held = [shelf.active, shelf.building, ...shelf.kept].find((one) => one?.generation.id === generation.id)
    const [chunks, sizeBytes, progress] = await Promise.all([
      held ? countOf(held) : null,
      indexStore.size(generation.id),
      generation.state === 'active' ? null : records.generations.progress(generation.id),
    ])
    return { generation, chunks, sizeBytes, progress }
  }

  /** An index that cannot be read is listed without its count; health says what is wrong with it. */
  async function countOf({ generation, index }: Pick<Held, 'generation' | 'index'>): Promise<number | null> {
    try {
      return await index.countChunks()
    } catch (error) {
      log.warn({ err: error, generation: generation.id }, 'the passages of an index could not be counted')
      return null
    }
  }

  const shelf: Shelf = {
    active: null,
    building: null,
    kept: [],
    others: () => [...(shelf.building ? [shelf.building] : []), ...shelf.kept],
    async take(generation, embedder) {
      const before = shelf.active
      // The index that is open already serves on: only its embedder has come.
      const reused = before?.generation.id === generation.id ? before.index : null
      const index = reused ?? (await indexStore.open({ id: generation.id, dimensions: generation.dimensions }))
      const canEmbed = embedder.maxTokens > 0
      shelf.active = { generation, embedder, index, canEmbed, real: canEmbed ? embedder : null }
      // On a rebuild the embedder stays.
      if (before && before.embedder !== embedder) await before.embedder.close()
      if (before && before.index !== index) await before.index.close()
    },
    async open({ id, dimensions }) {
      try {
        return await indexStore.open({ id, dimensions })
      } catch (error) {
        if (!isDocsearchError(error, 'index_corrupt')) throw error
        log.warn({ err: error, generation: id }, 'an index that is not in use is damaged and is dropped')
        return null
      }
    },
    keep(kept) {
      shelf.kept = [...shelf.kept, kept]
    },
    takeBack(id) {
      const found = shelf.kept.find((kept) => kept.generation.id === id) ?? null
      shelf.kept = shelf.kept.filter((kept) => kept !== found)
      return found
    },
    retire(id, open) {
      const end = async () => {
        leaving.delete(timer)
        await open?.real?.close()
        await open?.index.close()
        await indexStore.drop(id)
      }
      const timer = setTimeout(
        () => void end().catch((error: unknown) => log.warn({ err: error, generation: id }, 'an index could not be dropped')),
        RETIRE_MS,
      )
      timer.unref()
      leaving.set(timer, end)
    },
    drop: (id) => indexStore.drop(id),
    list: () => indexStore.list(),
    state,
    states: async () => Promise.all((await records.generations.all()).map(state)),
    async close() {
      for (const [timer, end] of leaving) {
        clearTimeout(timer)
        await end()
      }
      for (const held of [shelf.active, shelf.building, ...shelf.kept]) {
        await held?.real?.close()
        await held?.index.close()
      }
    },
  }
  return shelf
}
