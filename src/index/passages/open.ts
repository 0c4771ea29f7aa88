import { readdir, rm, stat } from 'node:fs/promises'
import { connect, Session, type Connection, type Table } from '@lancedb/lancedb'
import { corrupt, indexFailure, readFailure } from '../segments/failures.ts'
import type { PassageTable } from '../passage-table.ts'
import { listTables, tableFolder, tableNames } from './names.ts'
import { LancePassageTable, type TableOptions } from './table.ts'
import { join } from 'node:path'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { tableSchema, unreadColumns } from './columns.ts'
import { rowIds } from './decode.ts'
import { checksumsFile, verifyManifest } from './checksums.ts'
import { Part, type PartState, PartFiles } from './part.ts'

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

interface PartPlace {
  connection: Connection
  /** The folder of the LanceDB database. */
  folder: string
  table: string
  layout: VectorLayout
}

async function createPart({ connection, folder, table, layout }: PartPlace): Promise<Part> {
  const schema = tableSchema(layout)
  // A power cut or kill may have left the folder of a table that was not completely created.
  const path = tableFolder(folder, table)
  for (const leftover of [path, checksumsFile(path)]) await rm(leftover, { recursive: true, force: true })
  const created = await connection.createEmptyTable(table, schema, {
    storageOptions: { newTableEnableStableRowIds: 'true' },
  })
  const state = { rows: 0, nextRow: 0, versions: 0, openedAt: new Date(0) }
  return new Part({ table: created, schema, layout, files: new PartFiles(path) }, state)
}

/**
 * Opens a part and reads a little of every file: the size of each manifest, and the end of each data file with its row IDs and deletions.
 * LanceDB never calls fsync, so a power cut can leave files that are missing, empty or cut off. Opening notices such files. LanceDB has no
 * checksums. So opening compares the newest manifest with the checksum that docsearch has of it. Other damage is noticed if rows can't be decoded
 * when they are read, and by `PassageTable.verify` and `PassageTable.damagedFiles`. Throws `index_corrupt` or LanceDB's error.
 */
export async function openPart({ connection, folder, table: name, layout }: PartPlace, now: Date): Promise<Part> {
  const schema = tableSchema(layout)
  const path = tableFolder(folder, name)
  const versions = await countVersions(join(path, '_versions'))
  if ((await verifyManifest(path)).changedManifest !== null)
    throw corrupt('A manifest of the search index is damaged. The index must be rebuilt from the documents.')
  const table = await connection.openTable(name)
  const unread = await unreadColumns(table, schema)
  const state = { ...(await probe(table)), versions, openedAt: now }
  return new Part({ table, schema, unread, layout, files: new PartFiles(path) }, state)
}

/** Reads one small column of every data file. */
async function probe(table: Table): Promise<Pick<PartState, 'rows' | 'nextRow'>> {
  let [rows, nextRow] = [0, 0]
  for await (const batch of table.query().select(['version']).withRowId()) {
    rows += batch.numRows
    for (const row of rowIds(batch)) nextRow = Math.max(nextRow, row + 1)
  }
  return { rows, nextRow }
}

/** Returns the number of versions. Throws `index_corrupt` when a manifest is empty: LanceDB would notice it only when it deletes old versions. */
async function countVersions(folder: string): Promise<number> {
  const manifests = (await readdir(folder)).filter((name) => name.endsWith('.manifest'))
  const sizes = await Promise.all(manifests.map(async (name) => (await stat(join(folder, name))).size))
  if (sizes.includes(0)) throw corrupt('A file of the search index is empty. The index must be rebuilt from the documents.')
  return manifests.length
}
