import { join } from 'node:path'
import { systemClock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { StoredPassage } from '../core/passage.ts'
import type { PassageTable } from './passage-table.ts'
import { createPassageTableStore } from './passages/store.ts'
import { SegmentedIndex } from './segmented-index.ts'
import type { VectorLayout } from './segments/vectors/format.ts'

/** Passages that are added to an index in one commit. */
const ADD_ROWS = 4_096

interface IndexPlace {
  dataDir: string
  id: string
  layout: VectorLayout
  log: Logger
}

/** Writes the passages of an index to a file, with their vectors, as an Arrow stream. Returns how many. */
export async function writePassages(
  passages: AsyncIterable<readonly StoredPassage[]>,
  { file, layout }: { file: string; layout: VectorLayout },
): Promise<number> {
  // Loads Arrow only when it is needed.
  const { writeArrowFile } = await import('./passages/arrow-stream.ts')
  let count = 0
  const counted = async function* () {
    for await (const batch of passages) {
      count += batch.length
      yield batch
    }
  }
  await writeArrowFile(counted(), { file, layout })
  return count
}

/** Yields the passages of an index that a daemon may have open, too. */
export async function* storedPassages(place: IndexPlace): AsyncGenerator<StoredPassage[]> {
  const table = await openTable(place)
  try {
    yield* scanned(table)
  } finally {
    await table.close()
  }
}

/** Yields all passages of a table in batches. */
export async function* scanned(table: Pick<PassageTable, 'scan'>): AsyncGenerator<StoredPassage[]> {
  for await (const rows of table.scan()) yield rows.map(({ passage }) => passage)
}

export interface RestoreHooks {
  signal?: AbortSignal | undefined
  /** Called with the number of passages that the table has. */
  onPassages?: ((passages: number) => void) | undefined
  /** Called when all passages are in the table, and their segments are being built. */
  onSegments?: (() => void) | undefined
}

/**
 * Makes an index from a file of `writePassages`. Its data folder must not have this index yet. Returns the number of passages. Rejects with the
 * reason of the signal.
 */
export async function restorePassages(file: string, place: IndexPlace, hooks: RestoreHooks = {}): Promise<number> {
  const { signal, onPassages, onSegments } = hooks
  const { dataDir, id, layout, log } = place
  const { readArrowFile } = await import('./passages/arrow-stream.ts')
  const table = await openTable(place)
  let count = 0
  try {
    const waiting: StoredPassage[] = []
    for await (const batch of readArrowFile(file, layout)) {
      waiting.push(...batch)
      count += batch.length
      if (waiting.length >= ADD_ROWS) await table.add(waiting.splice(0))
      signal?.throwIfAborted()
      onPassages?.(count)
    }
    if (waiting.length > 0) await table.add(waiting)
  } catch (error) {
    await table.close()
    throw error
  }
  // The index builds its segments from the table, and closes the table.
  const folder = join(dataDir, 'segments', id)
  onSegments?.()
  const index = await SegmentedIndex.open({ table, folder, layout, log, awaitedPassages: Infinity, signal })
  try {
    if (!signal?.aborted) await index.idle()
    signal?.throwIfAborted()
  } finally {
    await index.close()
  }
  return count
}

function openTable({ dataDir, id, layout, log }: IndexPlace): Promise<PassageTable> {
  return createPassageTableStore({ folder: join(dataDir, 'lance'), log, clock: systemClock }).open({ id, layout })
}
