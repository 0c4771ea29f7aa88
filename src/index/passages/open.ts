import { readdir } from 'node:fs/promises'
import { connect, Session } from '@lancedb/lancedb'
import { corrupt, indexFailure, readFailure } from '../segments/failures.ts'
import type { PassageTable } from '../passage-table.ts'
import { listTables, tableFolder, tableNames } from './names.ts'
import { createPart, openPart, type PartPlace } from './open-part.ts'
import { LancePassageTable, type TableOptions } from './table.ts'

/** Size of LanceDB's cache for its own indexes, which these tables don't have. The default is 6 GB. */
const INDEX_CACHE_BYTES = 1_048_576n

export interface OpenOptions extends TableOptions {
  folder: string
  /** ID of the index. */
  id: string
  /** See `CacheSizes`. LanceDB's default is 1 GB. */
  metadataBytes: number
}

/** Opens or creates the table of an index. Throws `index_corrupt` when files can't be read or have another layout. */
export async function openPassageTable(options: OpenOptions): Promise<PassageTable> {
  const { folder, id, layout, metadataBytes } = options
  const names = tableNames(id)
  const connection = await connect(folder, { session: new Session(INDEX_CACHE_BYTES, BigInt(metadataBytes)) }).catch((error) => {
    throw indexFailure(error)
  })
  const placeOf = (number: number): PartPlace => ({ connection, folder, table: names.part(number), layout })
  const create = (number: number) => createPart(placeOf(number))
  try {
    const numbers = (await listTables(folder)).get(id) ?? []
    const complete = await withoutUnfinished(folder, numbers.map(names.part))
    if (numbers.some((number, i) => number !== i)) throw corrupt('A part of the search index is missing. It must be rebuilt.')
    const parts = await Promise.all(complete.map((_, number) => openPart(placeOf(number), options.clock.now()))).catch(
      (error) => {
        throw readFailure(error)
      },
    )
    if (parts.length === 0) parts.push(await create(0))
    return new LancePassageTable(connection, { open: parts, create, openNew: null }, options)
  } catch (error) {
    connection.close()
    throw indexFailure(error)
  }
}

/** Skips the last table if its creation was interrupted before the table had its first version. */
async function withoutUnfinished(folder: string, tables: readonly string[]): Promise<readonly string[]> {
  const last = tables.at(-1)
  if (last === undefined) return tables
  const files = await readdir(tableFolder(folder, last), { recursive: true })
  return files.some((name) => name.endsWith('.manifest') || name.endsWith('.lance')) ? tables : tables.slice(0, -1)
}
