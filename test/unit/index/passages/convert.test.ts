import { globSync, truncateSync } from 'node:fs'
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { Field, FixedSizeList, Float16, Int32, Int64, List, Schema, Utf8 } from 'apache-arrow'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '../../../../src/core/logger.ts'
import { MAX_PASSAGE_CHARS, MAX_TITLE_CHARS } from '../../../../src/core/text-limits.ts'
import type { PassageTable, StoredPassage } from '../../../../src/index/passage-table.ts'
import { createPassageTableStore } from '../../../../src/index/passages/store.ts'
import { DIMENSIONS } from '../../../conformance/passage-index.ts'
import { errorCode } from '../../../support/codes.ts'
import { unpackDataFolder } from '../../../support/old-data-folder.ts'
import { scanned, stored } from '../../../support/passage-table.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-convert-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const storeOf = () => createPassageTableStore({ folder, log: silentLogger })

/** Opens an index, and returns what `work` does with it. */
async function withTable<T>(id: string, dimensions: number, work: (table: PassageTable) => Promise<T>): Promise<T> {
  const denseDimensions = dimensions === 1_024 ? 256 : dimensions
  const table = await storeOf().open({ id, layout: { dimensions, denseDimensions } })
  try {
    return await work(table)
  } finally {
    await table.close()
  }
}

const passagesOf = (id: string, dimensions: number) =>
  withTable(id, dimensions, async (table) => [...(await scanned(table)).values()])

/** The fields and columns of a table before version 0.2. Its name was stored only as filters compare it. */
const OLD_SCHEMA = new Schema([
  ...[
    'id',
    'document_id',
    'owner_id',
    'project_id',
    'media_type',
    'name_folded',
    'path',
    'heading',
    'title',
    'text',
    'gap',
    'context',
  ]
    .concat('text_hash', 'terms')
    .map((name) => new Field(name, new Utf8(), false)),
  ...['version', 'chunk_index', 'page_start', 'page_end', 'char_start', 'char_end'].map(
    (name) => new Field(name, new Int32(), false),
  ),
  new Field('tags', new List(new Field('item', new Utf8(), true)), false),
  new Field('document_created_at', new Int64(), false),
  new Field('vector', new FixedSizeList(DIMENSIONS, new Field('item', new Float16(), true)), true),
])

/** Writes the table of an index as the earlier versions did. */
async function writeOld(id: string, passages: readonly StoredPassage[]): Promise<void> {
  const connection = await connect(folder)
  const table = await connection.createEmptyTable(`chunks_${id}`, OLD_SCHEMA)
  await table.add(
    passages.map((passage) => ({
      id: passage.id,
      document_id: passage.documentId,
      owner_id: passage.ownerId,
      project_id: passage.projectId,
      media_type: passage.mediaType,
      name_folded: passage.name.toLowerCase(),
      path: passage.path,
      heading: passage.heading,
      title: passage.title,
      text: passage.text,
      gap: passage.gap,
      context: passage.context,
      text_hash: passage.textHash,
      terms: 'some terms',
      version: passage.version,
      chunk_index: passage.index,
      page_start: passage.pageStart,
      page_end: passage.pageEnd,
      char_start: passage.charStart,
      char_end: passage.charEnd,
      tags: [...passage.tags],
      document_created_at: BigInt(passage.documentCreatedAt.getTime()),
      vector: passage.vector && [...passage.vector],
    })),
  )
  table.close()
  connection.close()
}

describe('the indexes of version 0.1.0', () => {
  const INDEXES = [
    ['gen_01m81nceh1823s0658vsnwydqp', 1_024, 71],
    ['gen_01m81nch96h4qsmevt95w9chkv', 48, 74],
    ['gen_01m81ncgw4b7cx9pj6x9bj470w', 32, 82],
  ] as const
  beforeEach(async () => {
    const dataDir = await tempFolder()
    await unpackDataFolder('0.1.0', dataDir)
    await cp(join(dataDir, 'lance'), folder, { recursive: true })
  })

  test.each(INDEXES)('%s keeps its passages, and takes less space', async (id, dimensions, count) => {
    expect((await storeOf().list()).toSorted()).toEqual(INDEXES.map(([own]) => own).toSorted())
    const before = await storeOf().size(id)
    const passages = await passagesOf(id, dimensions)
    expect(passages).toHaveLength(count)
    for (const { id: own, documentId, version, index, name, path, vector } of passages) {
      expect(own).toBe(`${documentId}:${version}:${index}`)
      expect(path.endsWith(name)).toBe(true)
      expect(vector!.length).toBe(dimensions)
      // The 16-bit floats of an embedder's vector of length 1.
      expect(Math.hypot(...vector!)).toBeCloseTo(1, 2)
    }
    expect((await storeOf().list()).toSorted()).toEqual(INDEXES.map(([own]) => own).toSorted())
    expect(await storeOf().size(id)).toBeLessThan(before)
    expect((await readdir(folder)).filter((name) => name.includes(id))).toEqual([`passages_${id}.0.lance`])
    // Opened again, nothing is left to convert.
    expect(await passagesOf(id, dimensions)).toEqual(passages)
  })
})

describe('a table of an earlier version', () => {
  const passages = Array.from({ length: 5_000 }, (_, n) =>
    stored(`doc_${n >> 4}`, n & 15, {
      vector: n % 7 === 0 ? null : new Float32Array(DIMENSIONS).fill((n % 2_048) / 8_192),
      name: `Übersicht ${n >> 4}.TXT`,
      path: n % 2 === 0 ? `Ordner/Übersicht ${n >> 4}.TXT` : `somewhere/else.txt`,
      tags: n % 3 === 0 ? [] : ['red', `t${n}`],
    }),
  )
  /** The name is at the end of the path. If the path has another name, the converted name is in lower case. */
  const converted = passages.map((passage) =>
    passage.path.startsWith('Ordner') ? passage : { ...passage, name: passage.name.toLowerCase() },
  )
  const byId = (all: readonly StoredPassage[]) => new Map(all.map((passage) => [passage.id, passage]))

  test('keeps every field of many passages', async () => {
    await writeOld('idx_1', passages)
    expect(byId(await passagesOf('idx_1', DIMENSIONS))).toEqual(byId(converted))
  })

  test('leaves out passages that are too long, and cuts other long texts', async () => {
    const long = '😀'.repeat(500_000)
    await writeOld('idx_1', [
      stored('doc_1', 0, { charStart: 0, charEnd: 1_000_000, text: long }),
      stored('doc_1', 1, { title: long, heading: long, context: long, gap: long }),
      stored('doc_1', 2, { charStart: 7, charEnd: 7 + MAX_PASSAGE_CHARS, text: 'x'.repeat(MAX_PASSAGE_CHARS) }),
    ])
    const found = byId(await passagesOf('idx_1', DIMENSIONS))
    expect([...found.keys()]).toEqual(['doc_1:1:1', 'doc_1:1:2'])
    const { title, heading, context, gap } = found.get('doc_1:1:1')!
    for (const text of [title, heading, context]) expect(text.length).toBeLessThanOrEqual(MAX_TITLE_CHARS)
    expect(gap).toBe('')
    expect(found.get('doc_1:1:2')!.text).toHaveLength(MAX_PASSAGE_CHARS)
  })

  test('an empty table stays empty', async () => {
    const connection = await connect(folder)
    await connection.createEmptyTable('chunks_idx_1', OLD_SCHEMA)
    connection.close()
    expect(await passagesOf('idx_1', DIMENSIONS)).toEqual([])
    expect(await readdir(folder)).toEqual(['passages_idx_1.0.lance'])
  })

  test('an interrupted conversion starts over', async () => {
    // These rows were copied before the process was killed.
    await withTable('idx_1', DIMENSIONS, (table) => table.add([stored('doc_half', 0), stored('doc_half', 1)]))
    await writeOld('idx_1', passages.slice(0, 50))
    expect(byId(await passagesOf('idx_1', DIMENSIONS))).toEqual(byId(converted.slice(0, 50)))
  })

  test('a complete conversion is not repeated, and what is left of the old table is deleted', async () => {
    await withTable('idx_1', DIMENSIONS, (table) => table.add([stored('doc_new', 0)]))
    await writeOld('idx_1', passages.slice(0, 50))
    await rename(join(folder, 'chunks_idx_1.lance'), join(folder, 'converted_idx_1.lance'))
    expect((await passagesOf('idx_1', DIMENSIONS)).map(({ id }) => id)).toEqual(['doc_new:1:0'])
    expect(await readdir(folder)).toEqual(['passages_idx_1.0.lance'])
  })

  test.each([
    ['cut data file', 'data/*.lance'],
    ['empty manifest', '_versions/*.manifest'],
  ])('with a %s is reported as corrupt, again and again, and can be dropped', async (_, pattern) => {
    await writeOld('idx_1', passages.slice(0, 50))
    for (const file of globSync(join(folder, 'chunks_idx_1.lance', pattern))) truncateSync(file, 0)
    for (const attempt of ['first', 'second'])
      await expect(passagesOf('idx_1', DIMENSIONS), attempt).rejects.toMatchObject({ code: errorCode('index_corrupt') })
    await storeOf().drop('idx_1')
    expect(await readdir(folder)).toEqual([])
    expect(await passagesOf('idx_1', DIMENSIONS)).toEqual([])
  })

  test('with vectors of another length is reported as corrupt', async () => {
    await writeOld('idx_1', passages.slice(0, 50))
    await expect(passagesOf('idx_1', DIMENSIONS + 1)).rejects.toMatchObject({ code: errorCode('index_corrupt') })
  })
})
