import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { translateDiskError } from '../core/disk-errors.ts'
import type { Logger } from '../core/logger.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { PassageIndexStore } from './passage-index.ts'
import { indexFailure } from './segments/failures.ts'
import { isIndexId } from './passages/names.ts'
import { createSharedTableStore } from './passages/shared-store.ts'
import { storageOptions, SEGMENTS } from './passages/shared-tables.ts'
import type { PassageTableStore } from './passage-table.ts'
import type { CacheSizes } from './passages/store.ts'
import type { SegmentMemory } from './segments/store/memory.ts'
import { BlockCache } from './segments/remote/block-cache.ts'
import { dropShares } from './segments/store/open-shares.ts'
import { SharedIndex, type WriterLeases } from './shared-index.ts'

export type { WriterLeases } from './shared-index.ts'
export type { WriterLease } from './segments/store/shares.ts'

/** The share of `cacheBytes` for blocks of files. */
const BLOCKS_SHARE = 3 / 4
/** The share for copies of small files of one index. Two are open while one of them is being built. */
const COPIES_SHARE = (1 - BLOCKS_SHARE) / 2

export interface SharedIndexStoreOptions {
  /** Where all processes keep their indexes, such as `s3://bucket/prefix`. */
  address: string
  /** The same place. Other credentials and the endpoint come from the environment of the AWS SDK. */
  objects: ObjectStore
  /** A folder of this process alone, for copies of segments. Created when it does not exist. A later start uses the copies that are there. */
  cacheFolder: string
  /** How many bytes of this disk copies of files and of blocks may take. By default, there are copies of all files. */
  cacheBytes?: number
  /** Null for a process that only reads. */
  leases: WriterLeases | null
  /**
   * Returns the number of the newest commit of an index that searches have to see. Searches ask before they begin, so it has to be quick: the number
   * that `onCommit` has stored in the database. Null asks the object store, which takes one request for each search.
   */
  newestVersion: ((indexId: string) => Promise<number>) | null
  /**
   * Called with the number of each commit before it is acknowledged. Stores the number where `newestVersion` of every process finds it, unless a
   * greater number is there. If it rejects, the change rejects as well.
   */
  onCommit: (indexId: string, version: number) => Promise<void>
  /** By default, all segments are in memory. */
  memory?: SegmentMemory
  /** The caches of tables. By default, the largest sizes of `sharedCacheSizes`. */
  caches?: CacheSizes
  log: Logger
  clock?: Clock
  /** By default, LanceDB on the same object store. */
  tables?: PassageTableStore
  /** How long a search waits for newer commits before it continues without them. By default, 3 seconds. */
  catchUpMs?: number
  /** From this size on, files stay in the object store. By default, 4 MB. */
  minRemoteBytes?: number
}

/**
 * Creates a store of indexes that processes share: segments and LanceDB tables are in an object store. One process at a time writes an index, and
 * becomes its writer with the first change. Any number of processes read it. Each calls `catchUp` before a search, and then finds every document that
 * any process has acknowledged. Close the store after its indexes, and after the search threads.
 */
export function createSharedIndexStore(options: SharedIndexStoreOptions): PassageIndexStore & { close(): Promise<void> } {
  let opening: Promise<BlockCache> | null = null
  const { address, objects, cacheFolder, leases, newestVersion, onCommit, memory, log, catchUpMs, minRemoteBytes } = options
  const tables = options.tables ?? tablesOf(options)
  const folderOf = (id: string) => join(cacheFolder, id)
  const openCache = async () => {
    const { cacheBytes } = options
    if (cacheBytes === undefined) return null
    opening ??= BlockCache.open({ folder: cacheFolder, maxBytes: cacheBytes * BLOCKS_SHARE, objects, log }).catch(
      (error: unknown) => {
        opening = null
        throw indexFailure(translateDiskError(error))
      },
    )
    return opening
  }
  return {
    async open({ id, dimensions, denseDimensions = dimensions }) {
      const layout = { dimensions, denseDimensions }
      const cache = await openCache()
      const table = await tables.open({ id, layout })
      return SharedIndex.open({
        id,
        table,
        folder: folderOf(id),
        shared: {
          address,
          ...(cache !== null && { cache: cache.place, maxCopyBytes: (options.cacheBytes ?? Infinity) * COPIES_SHARE }),
          ...(minRemoteBytes !== undefined && { minRemoteBytes }),
        },
        cache,
        layout,
        memory,
        leases,
        newestVersion,
        onCommit,
        ...(catchUpMs !== undefined && { catchUpMs }),
        log: log.child({ index: id }),
      })
    },

    async list() {
      const found = new Set(await tables.list())
      for (let after: string | undefined; ;) {
        const { value: first } = await objects.list(SEGMENTS, after).next()
        if (first === undefined) return [...found]
        const [id = ''] = first.key.slice(SEGMENTS.length).split('/')
        if (isIndexId(id)) found.add(id)
        // Comes after every key of this index.
        after = `${SEGMENTS}${id}0`
      }
    },

    async size(id) {
      let bytes = await tables.size(id)
      for await (const { size } of objects.list(`${SEGMENTS}${id}/`)) bytes += size
      return bytes
    },

    async drop(id) {
      await tables.drop(id)
      await dropShares({ address }, id)
      await rm(folderOf(id), { recursive: true, force: true })
    },

    async close() {
      await (await opening)?.close()
    },
  }
}

function tablesOf({ address, objects, leases, caches, clock, log }: SharedIndexStoreOptions): PassageTableStore {
  return createSharedTableStore({
    address,
    objects,
    storageOptions: storageOptions(),
    canWrite: leases !== null,
    log,
    ...(caches !== undefined && { caches }),
    ...(clock !== undefined && { clock }),
  })
}
