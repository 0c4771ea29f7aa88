import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isDocsearchError } from '../core/errors.ts'
import { silentLogger } from '../core/logger.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { PassageTable } from './passage-table.ts'
import { DamagedTexts } from './segments/failures.ts'
import type { IndexInspection } from './inspect.ts'
import { tableNames } from './passages/names.ts'
import { createSharedTableStore } from './passages/shared-store.ts'
import { FOLDER, storageOptions } from './passages/shared-tables.ts'
import { addInventory, forEachPassage } from './segment-rows.ts'
import { lowerBound } from './segments/lower-bound.ts'
import { CommitLog } from './segments/remote/commit-log.ts'
import { keyOfFile } from './segments/remote/remote-segments.ts'
import { inspectSegment } from './segments/store/inspect.ts'
import { filesInManifest, type Manifest, type ManifestSegment, parseManifest } from './segments/store/manifest.ts'
import type { SharedSegment } from './segments/store/project-segments.ts'
import type { VectorLayout } from './segments/vectors/format.ts'

/** The writer can replace files while the inspection reads them. Then there is also a newer commit. */
const ATTEMPTS = 3

interface InspectOptions {
  /** Such as `s3://bucket/prefix`. */
  address: string
  objects: ObjectStore
  id: string
  layout: VectorLayout
  /** Holds the files of one segment at a time. */
  folder: string
}

/**
 * Reads every file of an index in an object store without changing any. Other processes may work with the index at the same time. Needs
 * 8 bytes of memory for each passage, and room on the disk for the largest segment. Rejects when the store does not answer.
 */
export async function inspectSharedIndex(options: InspectOptions): Promise<IndexInspection> {
  const { objects, id } = options
  const inspected: IndexInspection = {
    damage: [],
    contents: new Map(),
    damagedFiles: [],
    damagedChecksums: [],
    unlistedFiles: 0,
    damagedDocuments: [],
  }
  const rows = await inspectTable(options, inspected)
  try {
    const log = await CommitLog.open(objects, id)
    const damaged = new Set<string>()
    for (const projectId of log.manifests.keys())
      for (const documentId of await inspectProject({ ...options, log, projectId, rows }, inspected)) damaged.add(documentId)
    inspected.damagedDocuments = [...damaged]
  } catch (error) {
    if (!isDocsearchError(error, 'index_corrupt')) throw error
    inspected.damage.push({ kind: 'table', file: `segments/${id}/log`, message: `can't be read: ${error.message}` })
  }
  return inspected
}

/** Adds damage of the table to `inspected`. Returns the rows with intact texts in ascending order, or null if the table can't be read. */
async function inspectTable(
  { address, objects, id, layout }: InspectOptions,
  inspected: IndexInspection,
): Promise<Float64Array | null> {
  const tables = createSharedTableStore({
    address,
    objects,
    storageOptions: storageOptions(),
    canWrite: false,
    log: silentLogger,
  })
  let table: PassageTable | null = null
  try {
    table = await tables.open({ id, layout })
    const rows = await table.rowIds()
    const damaged = await damagedRows(table)
    return damaged.size === 0 ? rows : rows.filter((row) => !damaged.has(row))
  } catch (error) {
    if (!isDocsearchError(error, 'index_corrupt')) throw error
    inspected.damage.push({ kind: 'table', file: FOLDER + tableNames(id).part(0), message: `can't be read: ${error.message}` })
    return null
  } finally {
    await table?.close()
  }
}

async function damagedRows(table: PassageTable): Promise<Set<number>> {
  try {
    await table.verify()
    return new Set()
  } catch (error) {
    if (error instanceof DamagedTexts) return new Set(error.rows.map(Number))
    throw error
  }
}

interface ProjectOptions extends InspectOptions {
  log: CommitLog
  projectId: string
  rows: Float64Array | null
}

/** Adds contents and damage of a project's segments to `inspected`. Returns the documents whose texts are damaged or missing. */
async function inspectProject(options: ProjectOptions, inspected: IndexInspection): Promise<Set<string>> {
  const { log, projectId } = options
  for (let attempt = 1; ; attempt++) {
    const before = log.manifests.get(projectId)
    if (before === undefined) return new Set()
    const found = await inspectManifest(options, before)
    if (found.damage.length > 0 && attempt < ATTEMPTS) {
      await log.follow()
      if (log.manifests.get(projectId) !== before) continue
    }
    inspected.damage.push(...found.damage)
    for (const [documentId, content] of found.contents) inspected.contents.set(documentId, content)
    return found.damagedDocuments
  }
}

interface InspectedManifest extends Pick<IndexInspection, 'damage' | 'contents'> {
  damagedDocuments: Set<string>
}

async function inspectManifest(options: ProjectOptions, text: string): Promise<InspectedManifest> {
  const { id: indexId, projectId, rows } = options
  const found: InspectedManifest = { damage: [], contents: new Map(), damagedDocuments: new Set() }
  let manifest: Manifest
  try {
    manifest = parseManifest(text, { indexId, projectId })
  } catch (error) {
    if (!isDocsearchError(error, 'index_corrupt')) throw error
    found.damage.push({ kind: 'segment', file: keyOfFile(indexId, projectId), message: 'has a damaged manifest' })
    return found
  }
  for (const entry of manifest.segments) {
    const damage = await withSegment(options, entry, (segment) => {
      addInventory({ segments: [segment] }, found.contents)
      if (rows === null) return
      forEachPassage({ segments: [segment] }, (row, documentId) => {
        if (!hasRow(rows, Number(row))) found.damagedDocuments.add(documentId())
      })
    })
    found.damage.push(
      ...damage.map(({ file, message }) => ({ kind: 'segment' as const, file: keyOfFile(indexId, projectId, file), message })),
    )
  }
  return found
}

function hasRow(rows: Float64Array, row: number): boolean {
  return rows[lowerBound(rows.length, (at) => rows[at]! >= row)] === row
}

/** Fetches the files of a segment, verifies them, and calls `work` if they are whole. Returns the damage. */
async function withSegment(
  { objects, id, projectId, folder }: ProjectOptions,
  entry: ManifestSegment,
  work: (segment: SharedSegment) => void,
): Promise<{ file: string; message: string }[]> {
  const copies = await mkdtemp(join(folder, 'segment-'))
  try {
    for (const { file } of filesInManifest({ segments: [entry] })) {
      const found = await objects.read(keyOfFile(id, projectId, file))
      // The inspection reports a file that is missing.
      if (found !== null) await pipeline(found.stream, createWriteStream(join(copies, file), { mode: 0o600 }))
    }
    const { segment, damage, close } = await inspectSegment(copies, entry)
    try {
      if (segment !== null) work(segment)
      return damage
    } finally {
      close()
    }
  } finally {
    await rm(copies, { recursive: true, force: true })
  }
}

/** Returns the files of segments that no commit names, if they are older than `before`. The writer may name some of them again. */
export async function unnamedFiles(
  { objects, id }: Pick<InspectOptions, 'objects' | 'id'>,
  before: Date,
): Promise<{ key: string; size: number }[]> {
  const old: { key: string; size: number }[] = []
  for await (const { key, size, modifiedAt } of objects.list(keyOfFile(id))) if (modifiedAt < before) old.push({ key, size })
  const log = await CommitLog.open(objects, id)
  const named = new Set<string>()
  for (const [projectId, text] of log.manifests)
    for (const { file } of filesInManifest(parseManifest(text, { indexId: id, projectId })))
      named.add(keyOfFile(id, projectId, file))
  return old.filter(({ key }) => !named.has(key))
}

/** Returns when the newest object of an index was stored. */
export async function newestObjectOf(objects: ObjectStore, id: string): Promise<Date> {
  let newest = new Date(0)
  const table = tableNames(id).part(0).slice(0, -1)
  for (const prefix of [`segments/${id}/`, FOLDER + table])
    for await (const { modifiedAt } of objects.list(prefix)) if (modifiedAt > newest) newest = modifiedAt
  return newest
}
