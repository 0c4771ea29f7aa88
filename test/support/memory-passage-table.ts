import type { IndexedPassage, StoredPassage } from '../../src/core/passage.ts'
import { passes, textsOf } from './memory-passage-index.ts'
import { DocsearchError } from '../../src/core/errors.ts'
import type { PassageTable, PassageTableStore } from '../../src/index/passage-table.ts'

type MemoryTable = PassageTable & { stored: Map<bigint, StoredPassage> }

/** Tables in memory, for tests of code that uses tables. */
export function createMemoryTables(): PassageTableStore & { tables: ReadonlyMap<string, MemoryTable> } {
  const tables = new Map<string, MemoryTable & { dimensions: number }>()
  return {
    tables,
    async open({ id, layout: { dimensions } }) {
      const table = tables.get(id) ?? { ...createMemoryTable(dimensions), dimensions }
      if (table.dimensions !== dimensions) throw new DocsearchError('index_corrupt', 'The table has another layout.')
      tables.set(id, table)
      return table
    },
    list: async () => [...tables.keys()],
    size: async (id) => tables.get(id)?.stored.size ?? 0,
    async drop(id) {
      tables.delete(id)
    },
  }
}

/** A table in memory, for tests of code that uses a table. `stored` has its rows, so that a test can damage it. */
export function createMemoryTable(dimensions: number): MemoryTable {
  const stored = new Map<bigint, StoredPassage>()
  let next = 0n
  return {
    stored,
    async add(passages) {
      if (passages.some(({ vector }) => vector !== null && vector.length !== dimensions))
        throw new DocsearchError('index_failed', `A vector does not have ${dimensions} dimensions.`)
      return passages.map((passage) => {
        const {
          terms: _,
          titleTerms: _title,
          headingTerms: _heading,
          nameTerms: _name,
          language: _language,
          ...kept
        } = passage as IndexedPassage
        stored.set(next, kept)
        return next++
      })
    },
    async remove(rows) {
      for (const row of rows) stored.delete(row)
    },
    async refresh() {},
    async readStored(rows) {
      return rows.flatMap((row) => stored.get(row) ?? [])
    },
    async read(rows) {
      return new Map(
        rows.flatMap((row) => {
          const passage = stored.get(row)
          return passage === undefined ? [] : [[row, textsOf(passage)] as const]
        }),
      )
    },
    async *scan({ projectIds } = {}) {
      for (const [row, passage] of stored) if (projectIds?.includes(passage.projectId) ?? true) yield [{ row, passage }]
    },
    rowIds: async () => Float64Array.from(stored.keys(), Number).sort(),
    async *rows() {
      for (const [row, { id, projectId }] of stored) yield [{ row, id, projectId }]
    },
    rowsWithPhrases: async (rows, phrases) =>
      rows.filter((row) => {
        const passage = stored.get(row)
        return passage !== undefined && passes(passage, phrases)
      }),
    count: async () => stored.size,
    optimize: async () => {},
    check: async () => ({ ok: true, message: `${stored.size} passages`, passages: stored.size }),
    verify: async () => {},
    recordChecksums: async () => {},
    damagedFiles: async () => [],
    close: async () => {},
  }
}
