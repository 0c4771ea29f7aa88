import { open, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { connect, Session } from '@lancedb/lancedb'
import { isDocsearchError } from '../../core/errors.ts'
import { silentLogger } from '../../core/logger.ts'
import type { Clock } from '../../core/clock.ts'
import { readFailure } from '../segments/failures.ts'
import type { PassageTable } from '../passage-table.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { checksumsFile, verifyManifest } from './checksums.ts'
import { listTables, tableFolder, tableNames } from './names.ts'
import { openPart } from './open.ts'
import { LancePassageTable } from './table.ts'

const MB = 1024n * 1024n
/** The end of the data files and manifests of LanceDB. */
const END = 'LANC'

export interface TableInspection {
  damage: { file: string; message: string }[]
  /** Null when the table is missing or can't be opened. */
  table: PassageTable | null
  /** Lists of checksums that are damaged. */
  damagedChecksums: string[]
  /** How many files in use have no checksum yet. */
  unlistedFiles: number
}

/**
 * Opens the table of an index without changing it, and looks at the end of each of its files. Files are relative to `folder`. A daemon may work
 * with the table at the same time.
 */
export async function inspectPassageTable(options: {
  /** The folder of the LanceDB database. */
  folder: string
  id: string
  layout: VectorLayout
  clock: Clock
}): Promise<TableInspection> {
  const { folder, id, layout, clock } = options
  const names = tableNames(id)
  const numbers = (await listTables(folder)).get(id) ?? []
  const nothing = { table: null, damagedChecksums: [], unlistedFiles: 0 }
  if (numbers.length === 0) return { ...nothing, damage: [{ file: '.', message: 'is missing' }] }
  const tables = numbers.map(names.part)
  const paths = tables.map((table) => tableFolder(folder, table))
  const damage = (await Promise.all(paths.map((path) => damagedFiles(folder, path)))).flat()
  if (numbers.some((number, i) => number !== i)) damage.push({ file: '.', message: 'lacks a part of the index' })
  if (damage.length > 0) return { ...nothing, damage }
  const lists = await readChecksums(folder, paths)
  if (lists.damage.length > 0) return { ...nothing, damage: lists.damage }
  const connection = await connect(folder, { session: new Session(MB, 64n * MB) })
  const unexpected = () => Promise.reject(new Error('an inspection adds nothing'))
  try {
    const parts = await Promise.all(tables.map((table) => openPart({ connection, folder, table, layout }, clock.now())))
    const table = new LancePassageTable(
      connection,
      { open: parts, create: unexpected, openNew: null },
      { layout, clock, log: silentLogger, cacheBytes: 0 },
    )
    return { ...nothing, ...lists, table }
  } catch (error) {
    connection.close()
    return { ...nothing, damage: [{ file: '.', message: readFailure(error).message }] }
  }
}

/** Reads the lists of checksums, and reports each newest manifest that differs from its checksum. LanceDB would not notice the damage. */
async function readChecksums(folder: string, paths: readonly string[]): Promise<Omit<TableInspection, 'table'>> {
  const found: Omit<TableInspection, 'table'> = { damage: [], damagedChecksums: [], unlistedFiles: 0 }
  for (const path of paths) {
    try {
      const { changedManifest, unlisted, damagedLines } = await verifyManifest(path)
      if (changedManifest !== null)
        found.damage.push({ file: relative(folder, join(path, changedManifest)), message: 'differs from its checksum' })
      found.unlistedFiles += unlisted
      if (damagedLines > 0) found.damagedChecksums.push(relative(folder, checksumsFile(path)))
    } catch (error) {
      if (!isDocsearchError(error, 'index_corrupt')) throw error
      found.damage.push({ file: relative(folder, join(path, '_versions')), message: `can't be read: ${error.message}` })
    }
  }
  return found
}

/** LanceDB's files end with a mark, so this can report empty and cut-off files that have no checksum. */
async function damagedFiles(folder: string, table: string): Promise<TableInspection['damage']> {
  const entries = await readdir(table, { recursive: true, withFileTypes: true })
  const checked = entries.map(async (entry) => {
    if (!entry.isFile()) return []
    const path = join(entry.parentPath, entry.name)
    const message = await faultOf(path)
    return message === null ? [] : [{ file: relative(folder, path), message }]
  })
  return (await Promise.all(checked)).flat()
}

async function faultOf(path: string): Promise<string | null> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    // A compaction may have deleted it.
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return null
  try {
    const { size } = await handle.stat()
    if (size === 0) return 'is empty'
    if (!/\.(?:lance|manifest)$/.test(path)) return null
    const end = Buffer.alloc(END.length)
    await handle.read(end, 0, end.length, Math.max(0, size - end.length))
    return end.toString('latin1') === END ? null : 'is cut off'
  } finally {
    await handle.close()
  }
}
