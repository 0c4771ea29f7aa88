import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { PassageIndexStore } from './passage-index.ts'
import { indexFailure } from './segments/failures.ts'
import type { PassageTableStore } from './passage-table.ts'
import { isIndexId } from './passages/names.ts'
import { type CacheSizes, createPassageTableStore } from './passages/store.ts'
import type { SegmentMemory } from './segments/store/memory.ts'
import { SegmentedIndex } from './segmented-index.ts'

export interface IndexStoreOptions {
  /** The data folder. The folders `lance/` and `segments/` in it are created if they do not exist. */
  dataDir: string
  log: Logger
  clock?: Clock
  /** By default, all segments are in memory. */
  memory?: SegmentMemory
  /** How much memory the table of each index may take. */
  caches?: CacheSizes
  /** By default, LanceDB in `lance/`. */
  tables?: PassageTableStore
}

/** Creates a store that keeps each index in a table of passages and a folder of segments. */
export function createIndexStore({
  dataDir,
  log,
  memory,
  caches,
  clock = systemClock,
  tables: given,
}: IndexStoreOptions): PassageIndexStore {
  const tables = given ?? createPassageTableStore({ folder: join(dataDir, 'lance'), log, clock, ...(caches && { caches }) })
  const folder = join(dataDir, 'segments')
  return {
    async open({ id, dimensions, denseDimensions = dimensions }) {
      const layout = { dimensions, denseDimensions }
      const table = await tables.open({ id, layout })
      return SegmentedIndex.open({ table, folder: join(folder, id), layout, memory, log: log.child({ index: id }) })
    },
    async list() {
      // Other programs may have put files into the folder, such as `.DS_Store`.
      const names = ((await readdir(folder).catch(ignoreMissing)) ?? []).filter(isIndexId)
      return [...new Set([...(await tables.list()), ...names])]
    },
    async size(id) {
      return (await tables.size(id)) + (await folderSize(join(folder, id)))
    },
    async drop(id) {
      await tables.drop(id)
      await rm(join(folder, id), { recursive: true, force: true }).catch((error) => {
        throw indexFailure(error)
      })
    },
  }
}

/** Returns the bytes of all files in a folder. Files may come and go meanwhile. */
export async function folderSize(folder: string): Promise<number> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)) ?? []
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map((entry) => stat(join(entry.parentPath, entry.name)).catch(ignoreMissing)))
  return sizes.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
