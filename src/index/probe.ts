import { MatchQuery } from '@lancedb/lancedb'
import type { Table } from '@lancedb/lancedb'
import { MAX_PASSAGE_CHARS } from '../core/text-limits.ts'
import { sqlText } from './filter.ts'

/**
 * Reads a little of every file that a search or a commit would read: the manifests, the ids in each data file, one full row, and the
 * indexes of words, filters and vectors. Throws LanceDB's error when a file is cut off or empty. Reads only the id columns completely.
 */
export async function probe(table: Table): Promise<void> {
  // `optimize` reads the older manifests too.
  await table.listVersions()
  for await (const _ of table.query().select(['id', 'version']));
  const [row] = (await table.query().where('vector IS NOT NULL').limit(1).toArray()) as Row[]
  if (row === undefined) {
    await matching(table, 'x', 'TRUE')
    return
  }
  const { id, document_id, owner_id, project_id, terms, vector } = row
  const keys = Object.entries({ id, document_id, owner_id, project_id }).map(([column, value]) => `${column} = ${sqlText(value)}`)
  await matching(table, terms.split(' ')[0] || 'x', [...keys, "array_has_any(tags, [''])"].join(' OR '))
  await table.vectorSearch(Float32Array.from(vector)).distanceType('cosine').select(['id', '_distance']).limit(1).toArrow()
}

/**
 * Checks for the health report that the table and its index of words answer. It takes the same time for any number of rows: it skips
 * rows outside the index, which a search would scan one by one.
 */
export async function answers(table: Table): Promise<void> {
  await table.query().select(['id']).limit(1).toArrow()
  await table.query().fullTextSearch(new MatchQuery('x', 'terms')).fastSearch().select(['id', '_score']).limit(1).toArrow()
}

async function matching(table: Table, term: string, where: string): Promise<void> {
  await table.query().fullTextSearch(new MatchQuery(term, 'terms')).where(where).select(['id', '_score']).limit(1).toArrow()
}

interface Row extends Record<'id' | 'document_id' | 'owner_id' | 'project_id' | 'terms', string> {
  vector: Iterable<number>
}

/** See ChunkIndex.inventory. Reads one batch of rows at a time. */
export async function readInventory(table: Table): Promise<Map<string, { version: number; chunks: number }>> {
  const found = new Map<string, { version: number; chunks: number }>()
  for await (const batch of table.query().select(['document_id', 'version', 'char_start', 'char_end'])) {
    const [ids, versions, starts, ends] = ['document_id', 'version', 'char_start', 'char_end'].map((name) =>
      batch.getChild(name)!,
    )
    for (let i = 0; i < batch.numRows; i++) {
      const id = ids!.get(i) as string
      const version = versions!.get(i) as number
      const chunks = (ends!.get(i) as number) - (starts!.get(i) as number) <= MAX_PASSAGE_CHARS ? 1 : 0
      const entry = found.get(id)
      if (entry === undefined) found.set(id, { version, chunks })
      // Two versions of a document should never be there together. The count then matches neither, and recovery repairs it.
      else found.set(id, { version: Math.max(entry.version, version), chunks: entry.chunks + chunks })
    }
  }
  return found
}
