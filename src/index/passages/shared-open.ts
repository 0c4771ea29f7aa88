import { connect, Session } from '@lancedb/lancedb'
import { type Clock, systemClock } from '../../core/clock.ts'
import type { Logger } from '../../core/logger.ts'
import { parseStoreLocation, type ObjectStore } from '../../objects/object-store.ts'
import { corrupt, indexFailure, readFailure } from '../segments/failures.ts'
import type { PassageTable } from '../passage-table.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { tableSchema, unreadColumns } from './columns.ts'
import { tableNames } from './names.ts'
import { Part } from './part.ts'
import { FOLDER, partsOf } from './shared-tables.ts'
import { type CacheSizes, sharedCacheSizes } from './store.ts'
import { LancePassageTable } from './table.ts'

const INDEX_CACHE_BYTES = 1_048_576n

export interface SharedTableStoreOptions {
  /** Such as `s3://bucket/prefix`. */
  address: string
  /** The same place, to list and delete objects. */
  objects: ObjectStore
  /** For LanceDB's own client of the object store (shared-tables.ts). */
  storageOptions: Readonly<Record<string, string>>
  /** False for a process that only reads. It creates no table. */
  canWrite: boolean
  log: Logger
  clock?: Clock
  /** By default, the largest sizes of `sharedCacheSizes`. */
  caches?: CacheSizes
}

/**
 * Opens the table of an index in an object store. Creates it if this process may write. Throws `index_corrupt` when files can't be read or have another layout.
 */
export async function openSharedTable(
  { id, layout }: { id: string; layout: VectorLayout },
  {
    address,
    objects,
    storageOptions,
    canWrite,
    log,
    clock = systemClock,
    caches = sharedCacheSizes(Infinity),
  }: SharedTableStoreOptions,
): Promise<PassageTable> {
  const { part: nameOf } = tableNames(id)
  const { bucket, prefix } = parseStoreLocation(address)
  const connection = await connect(`s3://${bucket}/${prefix}${FOLDER.slice(0, -1)}`, {
    storageOptions: { ...storageOptions },
    session: new Session(INDEX_CACHE_BYTES, BigInt(caches.metadataBytes)),
  }).catch((error) => {
    throw indexFailure(error)
  })
  const schema = tableSchema(layout)
  const open = async (number: number): Promise<Part> => {
    const table = await connection.openTable(nameOf(number))
    const unread = await unreadColumns(table, schema)
    const rows = await table.countRows()
    // The first commit finds its row IDs by a search (`Part.add`).
    return new Part({ table, schema, unread, layout, files: null }, { rows, nextRow: 0, versions: 0, openedAt: clock.now() })
  }
  const openNew = async (first: number): Promise<Part[]> => {
    const numbers = await partsOf(objects, id)
    if (numbers.some((number, i) => number !== i))
      throw corrupt('A part of the search index is missing. The index must be rebuilt.')
    return Promise.all(numbers.slice(first).map(open))
  }
  const create = async (number: number): Promise<Part> => {
    try {
      await connection.createEmptyTable(nameOf(number), schema, {
        storageOptions: { ...storageOptions, newTableEnableStableRowIds: 'true' },
      })
    } catch (error) {
      // Another process may have created it at the same moment.
      if (!(await partsOf(objects, id)).includes(number)) throw error
    }
    return open(number)
  }
  try {
    const parts = await openNew(0).catch((error) => {
      throw readFailure(error)
    })
    if (parts.length === 0 && canWrite) parts.push(await create(0))
    return new LancePassageTable(
      connection,
      { open: parts, create, openNew },
      { layout, clock, log, cacheBytes: caches.cacheBytes },
    )
  } catch (error) {
    connection.close()
    throw indexFailure(error)
  }
}
