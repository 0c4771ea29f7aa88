import { join } from 'node:path'
import { systemClock } from '../core/clock.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { PassageTable } from './passage-table.ts'
import { DamagedTexts } from './segments/failures.ts'
import { isIndexId, listTables } from './passages/names.ts'
import type { DamagedIndexFile } from './passage-index.ts'
import { addInventory, documentsOf, SegmentRows, toDamagedIndexFiles } from './segment-rows.ts'
import { namesIn } from './segments/store/files.ts'
import { type InspectedProject, inspectProject } from './segments/store/inspect.ts'
import type { ProjectSegments } from './segments/store/project-segments.ts'
import type { VectorLayout } from './segments/vectors/format.ts'

/** A file of an index that is damaged. `file` is relative to the data folder; a folder stands for an index that can't be read. */
export interface IndexDamage {
  kind: 'table' | 'segment'
  file: string
  /** What is wrong, to be put behind the name of the file. */
  message: string
}

export interface IndexInspection {
  damage: IndexDamage[]
  /** What the segments that are whole hold. */
  contents: Map<string, { version: number; chunks: number }>
  /** Files of the table that have changed, although the table can be read. Relative to the data folder. */
  damagedFiles: DamagedIndexFile[]
  /** Lists of checksums that are damaged. They are relative to the data folder, too. */
  damagedChecksums: string[]
  /** How many files of the table have no checksum yet. */
  unlistedFiles: number
  /** The documents whose texts do not match their hashes, or are not in the table. */
  damagedDocuments: string[]
}

/** Reads every file of an index without changing any. A daemon may work with the index at the same time. */
export async function inspectIndex(options: {
  dataDir: string
  id: string
  layout: VectorLayout
  signal?: AbortSignal
}): Promise<IndexInspection> {
  const { dataDir, id, signal } = options
  const folder = join(dataDir, 'segments', id)
  const inspected: InspectedProject[] = []
  const damage: IndexDamage[] = []
  try {
    for (const projectId of await namesIn(folder)) {
      signal?.throwIfAborted()
      const project = await inspectProject(join(folder, projectId), { indexId: id, projectId })
      inspected.push(project)
      const at = (file: string) => join('segments', id, projectId, file)
      damage.push(...project.damage.map(({ file, message }) => ({ kind: 'segment' as const, file: at(file), message })))
    }
    const projects = inspected.map(({ project }) => project)
    const contents: IndexInspection['contents'] = new Map()
    for (const project of projects) addInventory(project, contents)
    const inTable = await inspectTable(options, projects)
    return { ...inTable, contents, damage: [...damage, ...inTable.damage] }
  } finally {
    for (const { close } of inspected) close()
  }
}

async function inspectTable(
  { dataDir, id, layout, signal }: { dataDir: string; id: string; layout: VectorLayout; signal?: AbortSignal },
  projects: readonly ProjectSegments[],
): Promise<Omit<IndexInspection, 'contents'>> {
  process.env['LANCEDB_LOG'] ??= 'error'
  const { inspectPassageTable } = await import('./passages/inspect.ts')
  const found = await inspectPassageTable({ folder: join(dataDir, 'lance'), id, layout, clock: systemClock })
  const { table, unlistedFiles } = found
  const inspected: Omit<IndexInspection, 'contents'> = {
    damage: found.damage.map(({ file, message }) => ({ kind: 'table', file: join('lance', file), message })),
    damagedFiles: [],
    damagedChecksums: found.damagedChecksums.map((file) => join('lance', file)),
    unlistedFiles,
    damagedDocuments: [],
  }
  if (table === null) return inspected
  try {
    const damagedFiles = toDamagedIndexFiles(await table.damagedFiles(), projects)
    inspected.damagedFiles = damagedFiles.map((one) => ({ ...one, file: join('lance', one.file) }))
    inspected.damagedDocuments = await withDamagedTexts(table, projects, signal)
    return inspected
  } catch (error) {
    if (!isDocsearchError(error, 'index_corrupt')) throw error
    const named = inspected.damagedFiles.map(({ file }) => file)
    for (const file of named.length > 0 ? named : ['lance'])
      inspected.damage.push({ kind: 'table', file, message: `can't be read: ${error.message}` })
    return { ...inspected, damagedFiles: [] }
  } finally {
    await table.close()
  }
}

async function withDamagedTexts(
  table: PassageTable,
  projects: readonly ProjectSegments[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const damaged = new Set<string>()
  try {
    await table.verify(signal)
  } catch (error) {
    if (!(error instanceof DamagedTexts)) throw error
    for (const document of documentsOf(projects, error.rows)) damaged.add(document)
  }
  const rows = new SegmentRows(projects)
  for await (const batch of table.rows()) for (const { row } of batch) rows.note(row)
  for (const document of rows.documentsWithoutRows()) damaged.add(document)
  return [...damaged]
}

/** Returns the indexes that have files in the data folder. */
export async function indexesWithFiles(dataDir: string): Promise<string[]> {
  const tables = (await listTables(join(dataDir, 'lance'))).keys()
  const segments = (await namesIn(join(dataDir, 'segments'))).filter(isIndexId)
  return [...new Set([...tables, ...segments])]
}
