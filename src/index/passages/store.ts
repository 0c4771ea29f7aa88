import { readdir, rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../core/clock.ts'
import type { Logger } from '../../core/logger.ts'
import type { PassageTableStore } from '../passage-table.ts'
import { checksumsFile } from './checksums.ts'
import { listTables, tableFolder, tableNames } from './names.ts'

const MB = 1024 * 1024

/** How much memory the caches of a table may take. */
export interface CacheSizes {
  /** Memory for the passages that were read last. */
  cacheBytes: number
  /**
   * Memory for LanceDB's metadata of files, about 12 kB for each file with rows. Every commit adds entries that nothing needs after the
   * next commit, so an index that changes fills this cache sooner or later.
   */
  metadataBytes: number
}

/** Enough for about 10,000 passages, and for the files of a few million. */
const LARGEST: CacheSizes = { cacheBytes: 32 * MB, metadataBytes: 64 * MB }
/** Enough for the files of a part before its compaction. With less than 1 MB, LanceDB would open a file again for each row. */
const MIN_METADATA_BYTES = 4 * MB

/** For tables in an object store, where a read takes longer. Enough for about 30,000 passages. */
const LARGEST_SHARED: CacheSizes = { ...LARGEST, cacheBytes: 96 * MB }

/** Returns the sizes for an instance whose searches may take this much memory (the setting `search.memory_mb`). */
export function cacheSizes(searchBytes: number): CacheSizes {
  return sizesFor(searchBytes, LARGEST)
}

/** Like `cacheSizes`, for tables in an object store. */
export function sharedCacheSizes(searchBytes: number): CacheSizes {
  return sizesFor(searchBytes, LARGEST_SHARED)
}

function sizesFor(searchBytes: number, largest: CacheSizes): CacheSizes {
  return {
    cacheBytes: Math.min(largest.cacheBytes, Math.floor(searchBytes / 16)),
    metadataBytes: Math.min(largest.metadataBytes, Math.max(MIN_METADATA_BYTES, Math.floor(searchBytes / 8))),
  }
}

export interface PassageTableStoreOptions {
  /** `lance/` in the data folder. Created when it does not exist. */
  folder: string
  log: Logger
  clock?: Clock
  /** By default, the largest sizes of `cacheSizes`. */
  caches?: CacheSizes
}

/** Creates a store that keeps each index in LanceDB tables. The first `open` loads the native library (200 MB). */
export function createPassageTableStore(options: PassageTableStoreOptions): PassageTableStore {
  const { folder, log, clock = systemClock, caches = LARGEST } = options
  /** Returns the folders of an index. */
  async function foldersOf(indexId: string): Promise<string[]> {
    const names = tableNames(indexId)
    const parts = (await listTables(folder)).get(indexId) ?? []
    return parts.map((number) => tableFolder(folder, names.part(number)))
  }

  return {
    async open({ id, layout }) {
      // LanceDB writes its own log to standard error. Its warnings, about retries or deprecations, don't help an operator.
      process.env['LANCEDB_LOG'] ??= 'error'
      // A compaction uses all of these threads, and searches need processors meanwhile.
      process.env['LANCE_CPU_THREADS'] ??= String(Math.max(1, Math.floor(availableParallelism() / 2)))
      const { openPassageTable } = await import('./open.ts')
      return openPassageTable({ folder, id, layout, clock, ...caches, log: log.child({ index: id }) })
    },

    async list() {
      return [...(await listTables(folder)).keys()]
    },

    async size(indexId) {
      const sizes = await Promise.all((await foldersOf(indexId)).map(folderSize))
      return sizes.reduce((sum, size) => sum + size, 0)
    },

    async drop(indexId) {
      // Removes the folders themselves, because LanceDB may be unable to read a damaged table.
      for (const path of await foldersOf(indexId)) {
        await rm(path, { recursive: true, force: true })
        await rm(checksumsFile(path), { force: true })
      }
    },
  }
}

/** Returns the bytes of all files in a folder. Files may come and go meanwhile. */
async function folderSize(folder: string): Promise<number> {
  const gone = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  }
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(gone)) ?? []
  const files = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)).catch(gone))
  return (await Promise.all(files)).reduce((sum, file) => sum + (file?.size ?? 0), 0)
}
