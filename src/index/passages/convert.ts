import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection, Table } from '@lancedb/lancedb'
import { foldName } from '../../core/fold-name.ts'
import type { Logger } from '../../core/logger.ts'
import { syncFile, syncFolder } from '../../core/sync.ts'
import { MAX_PASSAGE_CHARS } from '../../core/text-limits.ts'
import { corrupt, readFailure } from '../failures.ts'
import { READ_CHARS, withinLimits } from '../passage-limits.ts'
import type { PassageTable, StoredPassage } from '../passage-table.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { COLUMNS, VECTOR, vectorType } from './columns.ts'
import { passageReader, rowIds } from './decode.ts'
import { listTables, tableFolder, type TableNames } from './names.ts'

/** Rows to read at once. A small number, because LanceDB reads a text completely before it cuts it, and an old text may have a megabyte. */
const READ_ROWS = 256
/** Rows to add in one commit. */
const ADD_ROWS = 4_096
const LOG_ROWS = 100_000
/** Skips overlong passages of an earlier version. Recovery then finds that their documents lack passages, and cuts these documents again. */
const HAS_LENGTH = `char_end - char_start <= ${MAX_PASSAGE_CHARS}`

interface Conversion {
  connection: Connection
  folder: string
  names: TableNames
  /** The new table, which is empty. */
  table: PassageTable
  layout: VectorLayout
  log: Logger
}

/**
 * Copies the passages of an index of an earlier version into its new table, then deletes the old table. The old table keeps its name until
 * everything is on the disk, so an interrupted conversion starts over.
 */
export async function convertOldTable(conversion: Conversion): Promise<void> {
  const { folder, names, table, log } = conversion
  const started = performance.now()
  const total = await copyAll(conversion)
  await syncParts(folder, names)
  const done = tableFolder(folder, names.converted)
  await rename(tableFolder(folder, names.old), done)
  await syncFolder(folder)
  await rm(done, { recursive: true, force: true })
  const passages = await table.count()
  log.info({ passages, left_out: total - passages, took_ms: Math.round(performance.now() - started) }, 'converted the index')
}

/** Copies all rows. Returns the number of rows in the old table. */
async function copyAll({ connection, names, table, layout, log }: Conversion): Promise<number> {
  const old = await openOld(connection, names.old, layout)
  try {
    const rows = await reading(() => rowsOf(old))
    log.info({ passages: rows.length }, 'converting the index of an earlier version')
    let waiting: StoredPassage[] = []
    for (let at = 0; at < rows.length; at += READ_ROWS) {
      waiting.push(...(await reading(() => readOld(old, rows.slice(at, at + READ_ROWS), layout))))
      const isLast = at + READ_ROWS >= rows.length
      if (waiting.length < ADD_ROWS && !isLast) continue
      await table.add(waiting)
      waiting = []
      const done = Math.min(rows.length, at + READ_ROWS)
      if (Math.floor(done / LOG_ROWS) > Math.floor((done - ADD_ROWS) / LOG_ROWS)) log.info({ passages: done }, 'still converting')
    }
    return await old.countRows()
  } finally {
    old.close()
  }
}

async function openOld(connection: Connection, name: string, { dimensions }: VectorLayout): Promise<Table> {
  const old = await reading(() => connection.openTable(name))
  const types = new Map((await old.schema()).fields.map(({ name, type }) => [name, String(type)]))
  const isKnown =
    Object.values(OLD_COLUMNS).every((column) => types.has(column)) &&
    types.get(VECTOR) === String(vectorType({ dimensions, denseDimensions: dimensions }))
  if (isKnown) return old
  old.close()
  throw corrupt('The search index has another layout. It must be rebuilt from the documents.')
}

async function rowsOf(old: Table): Promise<number[]> {
  const rows: number[] = []
  for await (const batch of old.query().where(HAS_LENGTH).select(['version']).withRowId())
    for (const row of rowIds(batch)) rows.push(row)
  return rows
}

/** The column in the old table for each column of the new one. The old table has the document's name only in the form that filters compare. */
const OLD_COLUMNS: Readonly<Record<string, string>> = Object.fromEntries([
  ...COLUMNS.map(({ name }) => [name, name === 'name' ? 'name_folded' : name]),
  [VECTOR, VECTOR],
])

/** Cuts texts in SQL. The cast is needed because the Arrow package can't read the type that `left` returns. */
const OLD_SELECTION: Readonly<Record<string, string>> = {
  ...OLD_COLUMNS,
  ...Object.fromEntries(
    COLUMNS.filter(({ field }) => field in READ_CHARS).map(({ name, field }) => [
      name,
      `arrow_cast(left(${name}, ${READ_CHARS[field as keyof typeof READ_CHARS]}), 'Utf8')`,
    ]),
  ),
}

async function readOld(old: Table, rows: readonly number[], { dimensions }: VectorLayout): Promise<StoredPassage[]> {
  const found = await old
    .takeRowIds(rows)
    .select({ ...OLD_SELECTION })
    .toArrow()
  return found.batches.flatMap((batch) => {
    const passageAt = passageReader(batch, { dimensions, denseDimensions: dimensions })
    return Array.from({ length: batch.numRows }, (_, i) => {
      const passage = passageAt(i)
      return withinLimits({ ...passage, name: nameOf(passage) })
    })
  })
}

/** Takes the name from the end of the path, where it has its original case. */
function nameOf({ name, path }: StoredPassage): string {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return foldName(last) === name ? last : name
}

async function syncParts(folder: string, names: TableNames): Promise<void> {
  for (const number of (await listTables(folder)).get(names.indexId)!.parts) {
    const part = tableFolder(folder, names.part(number))
    for (const entry of await readdir(part, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      await (entry.isDirectory() ? syncFolder(path) : syncFile(path))
    }
    await syncFolder(part)
  }
  await syncFolder(folder)
}

async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw readFailure(error)
  }
}
