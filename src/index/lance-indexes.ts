import { Index } from '@lancedb/lancedb'
import type { Table } from '@lancedb/lancedb'

/**
 * From this many embedded passages on, an ANN index answers faster than a scan of every vector. Measured with 1,024 dimensions on two
 * cores, scan against ANN: 15 and 11 ms for 5,000 passages, 35 and 17 ms for 10,000, 54 and 16 ms for 20,000. With fewer passages the
 * scan is exact and needs no building.
 */
const ANN_MIN_ROWS = 10_000
/** The partitions fit one size of table: the index is rebuilt when the table has grown by half. */
const ANN_GROWTH = 1.5
/**
 * Bits per dimension. With one bit, four times as many full vectors as hits had to be compared, which was most of a search. Of the best
 * 100 among 16,000 real passages, the first 200 hold .979 with one bit and .9996 with four, with a quarter of the comparisons. More
 * bits only take longer to build.
 */
const ANN_BITS = 4
/** The name says the kind of index. An ANN index with another prefix is of an earlier version: it is not used, and dropped. */
const ANN_PREFIX = `vector_rq${ANN_BITS}_`
const ANY_ANN_PREFIX = 'vector_'

/** Indexes of words and filters. They exist from the first row on, because rows outside an index are scanned. */
const COLUMN_INDEXES: Record<string, () => Index> = {
  // text/ has analysed `terms`: LanceDB only splits them at spaces.
  terms: () =>
    Index.fts({
      baseTokenizer: 'whitespace',
      withPosition: false,
      stem: false,
      removeStopWords: false,
      asciiFolding: false,
      lowercase: false,
      maxTokenLength: 64,
    }),
  id: () => Index.btree(),
  document_id: () => Index.btree(),
  owner_id: () => Index.bitmap(),
  project_id: () => Index.bitmap(),
  tags: () => Index.labelList(),
}

export async function ensureColumnIndexes(table: Table): Promise<void> {
  const names = new Set((await table.listIndices()).map((index) => index.name))
  for (const [column, config] of Object.entries(COLUMN_INDEXES)) {
    if (!names.has(`${column}_idx`)) await table.createIndex(column, { config: config(), name: `${column}_idx`, replace: false })
  }
}

/** Returns the ANN index in use. Its name ends with the number of rows it was built for. */
export async function annIndex(table: Table): Promise<{ name: string; builtFor: number } | null> {
  const names = (await annNames(table)).filter((name) => name.startsWith(ANN_PREFIX))
  const built = names.map((name) => ({ name, builtFor: Number(name.slice(ANN_PREFIX.length)) }))
  return built.sort((a, b) => b.builtFor - a.builtFor)[0] ?? null
}

/** Builds, rebuilds, drops or keeps the ANN index, as the number of rows demands. Returns what it did. */
export async function ensureAnnIndex(table: Table, minRows = ANN_MIN_ROWS): Promise<'built' | 'dropped' | 'kept' | 'none'> {
  const rows = await table.countRows()
  const current = await annIndex(table)
  const names = await annNames(table)
  if (names.length > 0 && rows < minRows / 2) {
    for (const name of names) await table.dropIndex(name)
    return 'dropped'
  }
  if (current !== null && rows < current.builtFor * ANN_GROWTH) return 'kept'
  if (rows < minRows || (await table.countRows('vector IS NOT NULL')) < minRows) return current === null ? 'none' : 'kept'
  const name = ANN_PREFIX + rows
  await table.createIndex('vector', { config: Index.ivfRq({ distanceType: 'cosine', numBits: ANN_BITS }), name, replace: true })
  // Dropped last, because searches used the old index until now.
  for (const old of await annNames(table)) if (old !== name) await table.dropIndex(old)
  return 'built'
}

async function annNames(table: Table): Promise<string[]> {
  return (await table.listIndices()).map((index) => index.name).filter((name) => name.startsWith(ANY_ANN_PREFIX))
}
