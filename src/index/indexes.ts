import { Index } from '@lancedb/lancedb'
import type { Table } from '@lancedb/lancedb'

/**
 * From this many embedded chunks on an ANN index answers faster than reading every vector. Measured at 1,024 dimensions on two
 * cores: 5,000 chunks 15 against 11 ms, 10,000 chunks 35 against 17 ms, 20,000 chunks 54 against 16 ms; below, the scan is exact and needs no building.
 */
const ANN_MIN_ROWS = 10_000
/** Partitions are laid out for a size: built anew when the table has grown by half. */
const ANN_GROWTH = 1.5
/**
 * With one bit a dimension four times as many full vectors had to be compared as were asked for, and that was most of a search. Of the best 100 of 16,000
 * real passages the best 200 hold .979 with one bit and .9996 with four, which compare a quarter as many; more bits bring nothing but longer building.
 */
const ANN_BITS = 4
/** An index of another kind has another name: it is neither used nor kept. */
const ANN_PREFIX = `vector_rq${ANN_BITS}_`
const ANY_ANN_PREFIX = 'vector_'

/** Words and filters, from the first row on: rows outside an index are scanned. */
const COLUMN_INDEXES: Record<string, () => Index> = {
  // `terms` was analysed by us: LanceDB is to part it at blanks and to change nothing.
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

/** The ANN index in use, with the number of rows it was built for, which stands in its name. */
export async function annIndex(table: Table): Promise<{ name: string; builtFor: number } | null> {
  const names = (await annNames(table)).filter((name) => name.startsWith(ANN_PREFIX))
  const built = names.map((name) => ({ name, builtFor: Number(name.slice(ANN_PREFIX.length)) }))
  return built.sort((a, b) => b.builtFor - a.builtFor)[0] ?? null
}

/** Builds the ANN index, builds it anew, or leaves things as they are. Says what it did. */
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
  // The old one served until now.
  for (const old of await annNames(table)) if (old !== name) await table.dropIndex(old)
  return 'built'
}

async function annNames(table: Table): Promise<string[]> {
  return (await table.listIndices()).map((index) => index.name).filter((name) => name.startsWith(ANY_ANN_PREFIX))
}
