import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DocsearchError } from '../../src/core/errors.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { corrupt } from '../../src/index/segments/failures.ts'
import { nameTerms, passageTerms } from '../../src/text/passage-terms.ts'
import type { PassageTable } from '../../src/index/passage-table.ts'
import { SegmentedIndex } from '../../src/index/segmented-index.ts'
import { DIMENSIONS, direction, passage } from '../conformance/passage-index.ts'
import { errorCode } from '../support/codes.ts'
import { createMemoryTable } from '../support/memory-passage-table.ts'
import { until } from '../support/until.ts'
import { keywordSearch, vectorSearch } from '../support/search-index.ts'

const OWNER = {}
let folder: string
let table: ReturnType<typeof createMemoryTable>
let index: SegmentedIndex

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-segmented-'))
  table = createMemoryTable(DIMENSIONS)
  index = await open()
})
afterEach(async () => {
  await index.close()
  await rm(folder, { recursive: true, force: true })
})

function open(change: Partial<Parameters<typeof SegmentedIndex.open>[0]> = {}): Promise<SegmentedIndex> {
  const layout = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }
  return SegmentedIndex.open({ table, folder, layout, log: silentLogger, ...change })
}

async function reopen(change: Parameters<typeof open>[0] = {}): Promise<void> {
  await index.close()
  index = await open(change)
}

/** A document with the terms that a rebuild finds in its stored texts. */
function document(documentId: string, projectId = 'prj_a', passages = 3, version = 1) {
  const texts = (n: number) => ({ title: `Title of ${documentId}`, heading: 'Part', context: '', text: `word${n} common` })
  return {
    documentId,
    isNew: version === 1,
    passages: Array.from({ length: passages }, (_, n) => {
      const { tokens: _tokens, ...terms } = passageTerms(texts(n))
      return passage(documentId, n, {
        version,
        projectId,
        ...texts(n),
        ...terms,
        nameTerms: nameTerms({ name: `${documentId}.txt`, title: '' }),
      })
    }),
  }
}

async function everything() {
  const all = async (terms: string[]) =>
    (await keywordSearch(index, terms, OWNER, 1000))
      .map(({ id, score }) => ({ id, score }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const near = (await vectorSearch(index, direction(1), OWNER, 1000)).map(({ id, score }) => ({ id, score }))
  return {
    words: await all(['common', 'word1']),
    near: near.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    inventory: await index.inventory(),
  }
}

const filesOf = async (projectId: string) => (await readdir(join(folder, projectId))).toSorted()

describe('damage', () => {
  beforeEach(async () => {
    await index.put([document('doc_1'), document('doc_2'), document('doc_3', 'prj_a', 40), document('doc_9', 'prj_b')])
    await index.put([document('doc_8', 'prj_b', 2), document('doc_10', 'prj_b', 40)])
    await index.deleteDocuments(['doc_8'])
    await index.put([document('doc_2', 'prj_a', 2, 2)])
    await index.idle()
    earlier = await mkdtemp(join(tmpdir(), 'docsearch-earlier-'))
    await cp(join(folder, 'prj_a'), earlier, { recursive: true })
    await index.deleteDocuments(['doc_1'])
    await index.idle()
  })
  afterEach(() => rm(earlier, { recursive: true, force: true }))

  /** A copy of a project before its last change. */
  let earlier: string

  /** Copies a file of the same kind over another one. */
  async function replace(path: string, folder: string): Promise<void> {
    const donor = (await readdir(folder)).find((name) => extname(name) === extname(path) && name !== basename(path))
    await copyFile(join(folder, donor ?? basename(path)), path)
  }

  const HARM: [name: string, harm: (path: string) => Promise<void>][] = [
    ['is missing', (path) => rm(path)],
    ['is of another project', (path) => replace(path, join(dirname(path), '../prj_b'))],
    ['is of an earlier time', (path) => replace(path, earlier)],
    [
      'is a folder',
      async (path) => {
        await rm(path)
        await mkdir(join(path, 'folder'), { recursive: true })
      },
    ],
    [
      'is a link',
      async (path) => {
        await rename(path, `${path}.other`)
        await symlink(`${path}.other`, path)
      },
    ],
    ['is empty', (path) => truncate(path, 0)],
    ['is cut in half', async (path) => truncate(path, Math.floor((await stat(path)).size / 2))],
    [
      'has another byte',
      async (path) => {
        const bytes = await readFile(path)
        bytes[Math.floor(bytes.length / 2)]! ^= 1
        await writeFile(path, bytes)
      },
    ],
  ]
  test.each(HARM)('of a file that %s is repaired from the table', async (_, harm) => {
    const before = await everything()
    const files = await filesOf('prj_a')
    expect(files.map((file) => file.split('.').at(-1))).toEqual(expect.arrayContaining(['seg', 'vec', 'del', 'json']))
    for (const file of files) {
      // Files get new names when they are repaired.
      const found = (await filesOf('prj_a')).find((name) => name === file)
      if (found === undefined) continue
      await index.close()
      await harm(join(folder, 'prj_a', file))
      index = await open()
      expect(await everything(), file).toEqual(before)
      expect(await index.check()).toMatchObject({ ok: true, isIncomplete: false })
    }
  })

  test('of a project whose folder is of another project, of another index or no folder is repaired', async () => {
    const before = await everything()
    const parts: [string, (path: string) => Promise<void>][] = [
      ['another project', (path) => cp(join(folder, 'prj_b'), path, { recursive: true })],
      ['another index', (path) => cp(join(other, 'prj_a'), path, { recursive: true })],
      ['a file', (path) => writeFile(path, 'text')],
    ]
    const other = join(earlier, 'idx_other')
    const layout = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }
    const stranger = await SegmentedIndex.open({ table: createMemoryTable(DIMENSIONS), folder: other, layout, log: silentLogger })
    await stranger.put([document('doc_77')])
    await stranger.close()
    for (const [name, replaceFolder] of parts) {
      await index.close()
      await rm(join(folder, 'prj_a'), { recursive: true })
      await replaceFolder(join(folder, 'prj_a'))
      // A file of another program does no harm.
      await writeFile(join(folder, '.DS_Store'), 'text')
      index = await open()
      expect(await everything(), name).toEqual(before)
      expect(await readdir(folder)).toContain('.DS_Store')
    }
  })

  test('of every file and of whole folders is repaired', async () => {
    const before = await everything()
    await index.close()
    await rm(join(folder, 'prj_a'), { recursive: true })
    index = await open()
    expect(await everything()).toEqual(before)
    await index.close()
    await rm(folder, { recursive: true })
    index = await open()
    expect(await everything()).toEqual(before)
    await index.close()
    await rm(folder, { recursive: true })
    await writeFile(folder, 'text')
    index = await open()
    expect(await everything()).toEqual(before)
  })

  test('is repaired while searches and changes go on, and no deleted or replaced document comes back', async () => {
    const { promise: opened, resolve: openGate } = Promise.withResolvers<void>()
    const slow: PassageTable = {
      ...table,
      async *scan(where) {
        await opened
        yield* table.scan(where)
      },
    }
    const before = await everything()
    await index.close()
    await rm(join(folder, 'prj_a'), { recursive: true })
    index = await open({ table: slow, awaitedPassages: 0 })
    expect(await index.check()).toMatchObject({ ok: true, isIncomplete: true })
    expect(index.segments().find(({ projectId }) => projectId === 'prj_a')).toMatchObject({
      isIncomplete: true,
    })
    const found = await keywordSearch(index, ['common'], OWNER, 100)
    expect(new Set(found.map(({ documentId }) => documentId))).toEqual(new Set(['doc_9', 'doc_10']))
    // Recovery must not index documents again that are only being repaired.
    expect(await index.inventory()).toEqual(before.inventory)

    await index.put([document('doc_2', 'prj_a', 4, 3)])
    await index.deleteDocuments(['doc_3'])
    await index.put([document('doc_4')])
    openGate()
    await until('the segments are complete', async () => !(await index.check()).isIncomplete)
    const inventory = new Map([
      ['doc_2', { version: 3, chunks: 4 }],
      ['doc_4', { version: 1, chunks: 3 }],
      ['doc_9', { version: 1, chunks: 3 }],
      ['doc_10', { version: 1, chunks: 40 }],
    ])
    expect(await index.inventory()).toEqual(inventory)
    const repaired = await everything()
    await reopen()
    expect(await everything()).toEqual(repaired)
    expect(table.stored.size).toBe(50)
  })

  test('stays known when the repair is interrupted', async () => {
    const before = await everything()
    const broken: PassageTable = { ...table, scan: () => readingFails() }
    await index.close()
    await rm(join(folder, 'prj_a'), { recursive: true })
    index = await open({ table: broken })
    await index.put([document('doc_5')])
    expect(await index.check()).toMatchObject({ isIncomplete: true })
    await reopen()
    await index.deleteDocuments(['doc_5'])
    expect(await everything()).toEqual(before)
  })

  test('is repaired by itself after the repair has failed', async () => {
    const before = await everything()
    let failures = 2
    const scan: PassageTable['scan'] = (where) => (failures-- > 0 ? readingFails() : table.scan(where))
    await index.close()
    await rm(join(folder, 'prj_a'), { recursive: true })
    index = await open({ table: { ...table, scan } })
    expect(await index.check()).toMatchObject({ isIncomplete: true })
    await until('the segments are complete', async () => (await index.check()).isIncomplete === false)
    expect(await everything()).toEqual(before)
  })

  test('that is found during a repair is repaired as well, and no row of the table is lost', async () => {
    const { promise: opened, resolve: openGate } = Promise.withResolvers<void>()
    const slow: PassageTable = {
      ...table,
      async *scan(where) {
        await opened
        yield* table.scan(where)
      },
    }
    const before = await everything()
    const rows = [...table.stored.keys()]
    await index.close()
    await rm(join(folder, 'prj_a'), { recursive: true })
    index = await open({ table: slow, awaitedPassages: 0 })
    const { name } = index.segments().find(({ projectId }) => projectId === 'prj_b')!.segments[0]!
    await Promise.all([index.leaveOut(name), index.leaveOut(name)])
    openGate()
    await until('the segments are complete', async () => !(await index.check()).isIncomplete)
    expect(await everything()).toEqual(before)
    await reopen()
    expect(await everything()).toEqual(before)
    expect([...table.stored.keys()]).toEqual(rows)
  })

  test('a passage whose text has changed is left out of a rebuild, so that its document is indexed again', async () => {
    const [row, changed] = [...table.stored].find(([, { documentId }]) => documentId === 'doc_9')!
    table.stored.set(row, { ...changed, text: 'other' })
    await index.close()
    await rm(join(folder, 'prj_b'), { recursive: true })
    index = await open({ awaitedPassages: 0 })
    let heard = 0
    index.onDamage(() => heard++)
    await until('the damage is announced', () => heard === 1)
    expect((await index.inventory()).get('doc_9')).toEqual({ version: 1, chunks: 2 })
  })

  // eslint-disable-next-line require-yield
  async function* readingFails(): AsyncGenerator<never> {
    throw new Error('the disk is gone')
  }
})

describe('the table and the segments', () => {
  test('a document whose rows are lost is missing from the inventory', async () => {
    await index.put([document('doc_1'), document('doc_2')])
    await index.close()
    table.stored.delete([...table.stored.keys()][4]!)
    index = await open()
    expect([...(await index.inventory()).keys()]).toEqual(['doc_1'])
    expect(new Set((await keywordSearch(index, ['common'], OWNER, 10)).map((hit) => hit.documentId))).toEqual(new Set(['doc_1']))
  })

  test('rows that no segment refers to are removed after a start', async () => {
    await index.put([document('doc_1')])
    await index.close()
    await table.add(document('doc_2').passages)
    index = await open()
    await until('the rows are gone', () => table.stored.size === 3)
    expect([...(await index.inventory()).keys()]).toEqual(['doc_1'])
  })

  test('rows of replaced and deleted documents are removed', async () => {
    await index.put([document('doc_1'), document('doc_2')])
    await index.put([document('doc_1', 'prj_a', 5, 2)])
    await index.deleteDocuments(['doc_2'])
    await until('the rows are gone', () => table.stored.size === 5)
  })

  test('rows that could not be removed are removed later by themselves', async () => {
    let failures = 2
    const remove: PassageTable['remove'] = async (rows) => {
      if (failures-- > 0) throw new Error('the disk is full')
      await table.remove(rows)
    }
    await reopen({ table: { ...table, remove } })
    await index.put([document('doc_1'), document('doc_2')])
    await index.deleteDocuments(['doc_2'])
    await index.idle()
    expect(table.stored.size).toBe(6)
    await until('the rows are gone', () => table.stored.size === 3)
  })

  test('a commit that fails leaves neither rows nor files, and can be repeated', async () => {
    await index.put([document('doc_1')])
    await rm(join(folder, 'prj_a'), { recursive: true })
    await writeFile(join(folder, 'prj_a'), 'not a folder')
    await expect(index.put([document('doc_2'), document('doc_3', 'prj_b')])).rejects.toMatchObject({
      code: errorCode('index_failed'),
    })
    await until('the rows are gone', () => table.stored.size === 6)
    await rm(join(folder, 'prj_a'))
    await index.put([
      { ...document('doc_2'), isNew: false },
      { ...document('doc_3', 'prj_b'), isNew: false },
    ])
    expect((await index.inventory()).size).toBe(3)
    await until('the rows are gone', () => table.stored.size === 9)
  })

  test('are compared again with the next change if a comparison failed, and searches answer meanwhile', async () => {
    await index.put([document('doc_1'), document('doc_2')])
    await index.close()
    await rm(join(folder, 'prj_a'), { recursive: true })
    let isFull = true
    const failing: PassageTable = {
      ...table,
      async *rows() {
        if (isFull) throw new DocsearchError('disk_full', 'The disk is full.')
        yield* table.rows()
      },
    }
    index = await open({ table: failing })
    expect(await keywordSearch(index, ['common'], OWNER, 10)).toEqual([])
    await expect(index.put([document('doc_3')])).rejects.toMatchObject({ code: errorCode('disk_full') })
    isFull = false
    await index.put([document('doc_3')])
    await until('the segments are complete', async () => (await index.inventory()).size === 3)
    await until('the segments are complete', async () => (await everything()).words.length === 9)
  })

  test('a start reads only row IDs when table and segments agree', async () => {
    await index.put([document('doc_1'), document('doc_2', 'prj_b')])
    await index.deleteDocuments(['doc_1'])
    await until('the rows are gone', () => table.stored.size === 3)
    await index.close()
    index = await open({ table: { ...table, rows: () => expect.unreachable('reads the documents of the rows') } })
    expect([...(await index.inventory()).keys()]).toEqual(['doc_2'])
  })

  test('damage that the comparison at a start finds in the background is announced, and health says so', async () => {
    await index.put([document('doc_1')])
    await index.close()
    const reading = Promise.withResolvers<never>()
    index = await open({ table: { ...table, rowIds: () => reading.promise } })
    expect(await index.check()).toMatchObject({ ok: true })
    const damaged = Promise.withResolvers<void>()
    index.onDamage(damaged.resolve)
    reading.reject(corrupt('cut off'))
    await damaged.promise
    expect(await index.check()).toMatchObject({ ok: false })
  })

  test('a damaged table is reported to callers that write or compare', async () => {
    await index.put([document('doc_1')])
    const unreadable = (): never => {
      throw Object.assign(new Error('cut off'), { code: 'index_corrupt' })
    }
    await index.close()
    index = await open({ table: { ...table, rowIds: unreadable } })
    await expect(index.inventory()).rejects.toThrow()
    await expect(index.put([document('doc_2')])).rejects.toThrow()
    expect(await keywordSearch(index, ['common'], OWNER, 10)).toHaveLength(3)
  })
})

describe('files', () => {
  test('many small commits leave few segments and no unneeded files', async () => {
    for (let n = 0; n < 60; n++) await index.put([document(`doc_${n}`, 'prj_a', 2)])
    await index.deleteDocuments(['doc_3', 'doc_4'])
    await index.idle()
    const [project] = index.segments()
    expect(project!.segments.length).toBeLessThan(10)
    const names = project!.segments.flatMap(({ name, generation }) => [
      `${name}.seg`,
      `${name}.vec`,
      ...(generation > 0 ? [`${name}.${generation}.del`] : []),
    ])
    expect(await filesOf('prj_a')).toEqual([...names, 'manifest.json'].toSorted())
    const before = await everything()
    expect(before.words).toHaveLength(116)
    await reopen()
    expect(await everything()).toEqual(before)
  })

  test('documents that are replaced or deleted during a merge stay replaced or deleted', async () => {
    const writes = []
    for (let n = 0; n < 40; n++) {
      writes.push(index.put([document(`doc_${n}`, 'prj_a', 2)]))
      if (n > 3) writes.push(index.deleteDocuments([`doc_${n - 3}`]), index.put([document(`doc_0`, 'prj_a', 1, n)]))
    }
    await Promise.all(writes)
    await index.idle()
    expect([...(await index.inventory()).keys()].toSorted()).toEqual(['doc_0', 'doc_37', 'doc_38', 'doc_39'])
    expect(await index.countPassages()).toBe(7)
    expect(new Set((await everything()).words.map(({ id }) => id)).size).toBe(7)
  })

  test('files that no manifest names are removed at start', async () => {
    await index.put([document('doc_1')])
    const before = await filesOf('prj_a')
    await index.close()
    for (const name of ['aaaa.seg', 'aaaa.vec', 'manifest.json.new', 'bbbb.3.del'])
      await writeFile(join(folder, 'prj_a', name), 'x')
    index = await open()
    expect(await filesOf('prj_a')).toEqual(before)
  })

  test('deleting the last document of a project removes its folder', async () => {
    await index.put([document('doc_1'), document('doc_2'), document('doc_3', 'prj_b')])
    await index.deleteDocuments(['doc_1', 'doc_2'])
    expect(await readdir(folder)).toEqual(['prj_b'])
    expect(index.segments().map(({ projectId }) => projectId)).toEqual(['prj_b'])
  })

  test('a commit writes only to the projects that it changes', async () => {
    const many = Array.from({ length: 30 }, (_, n) => document(`doc_${n}`, `prj_${n}`))
    await index.put(many)
    const manifests = async () =>
      Object.fromEntries(
        await Promise.all(many.map(async (_, n) => [n, (await stat(join(folder, `prj_${n}`, 'manifest.json'))).ino] as const)),
      )
    const before = await manifests()
    const changed: string[] = []
    index.onSegmentsChange(({ projectId }) => changed.push(projectId))
    await index.put([document('doc_7', 'prj_7', 4, 2)])
    const after = await manifests()
    expect(Object.keys(after).filter((n) => after[n] !== before[n])).toEqual(['7'])
    expect(changed).toEqual(['prj_7'])
  })
})
